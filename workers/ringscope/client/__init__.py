"""The REST API as the command line uses it: thin, typed, synchronous; one method per route."""

from ringscope.client.connection import ApiProblemError, ServerAwayError, is_ready
from ringscope.client.events import Event, EventRoutes
from ringscope.client.graphs import GraphRoutes, Graphs
from ringscope.client.insights import Activity, Check, Insight, InsightRoutes
from ringscope.client.jobs import Attempt, ClearWinner, Delay, Job, JobRoutes, Pending, QueuePlan, Summary
from ringscope.client.monitoring import MonitoringRoutes, TargetGroup
from ringscope.client.nodes import Cluster, Node, NodeRoutes
from ringscope.client.planning import Example, JobFit, PlanningRoutes, PriceCell, PriceTable, Sensitivities
from ringscope.client.predictions import Against, ComparedRow, PredictionRoutes
from ringscope.client.results import Arrival, AttemptEnvironment, LogLine, ResultRoutes, Step
from ringscope.client.schedules import Schedule, ScheduleRoutes
from ringscope.client.stream import StreamEvent, StreamRoutes, parse_events
from ringscope.client.tokens import LoginLink, Me, Token, TokenRoutes
from ringscope.client.traces import JobTrace, TracedOperation, TraceRoutes
from ringscope.client.training import Curve, CurvePoint, Epoch, RankBuckets, TrainingRoutes
from ringscope.client.view import Page, View
from ringscope.client.webhooks import Delivery, Webhook, WebhookRoutes

__all__ = [
    "Activity",
    "Against",
    "ApiProblemError",
    "Arrival",
    "Attempt",
    "AttemptEnvironment",
    "Check",
    "ClearWinner",
    "Client",
    "Cluster",
    "ComparedRow",
    "Curve",
    "CurvePoint",
    "Delay",
    "Delivery",
    "Epoch",
    "Event",
    "Example",
    "Graphs",
    "Insight",
    "Job",
    "JobFit",
    "JobTrace",
    "LogLine",
    "LoginLink",
    "Me",
    "Node",
    "Page",
    "Pending",
    "PriceCell",
    "PriceTable",
    "QueuePlan",
    "RankBuckets",
    "Schedule",
    "Sensitivities",
    "ServerAwayError",
    "Step",
    "StreamEvent",
    "Summary",
    "TargetGroup",
    "Token",
    "TracedOperation",
    "View",
    "Webhook",
    "is_ready",
    "parse_events",
]


class Client(
    JobRoutes,
    ResultRoutes,
    TraceRoutes,
    PredictionRoutes,
    TrainingRoutes,
    InsightRoutes,
    PlanningRoutes,
    NodeRoutes,
    ScheduleRoutes,
    WebhookRoutes,
    TokenRoutes,
    EventRoutes,
    MonitoringRoutes,
    GraphRoutes,
    StreamRoutes,
):
    """A connection to one server with one token. Use it as a context manager."""
