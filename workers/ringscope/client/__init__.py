"""The REST API as the command line uses it: thin, typed, synchronous; one method per route."""

from ringscope.client.connection import ApiProblemError, ServerAwayError, is_ready
from ringscope.client.diagnoses import DiagnosisRoutes
from ringscope.client.events import EventRoutes
from ringscope.client.files import FileRoutes
from ringscope.client.graphs import GraphRoutes
from ringscope.client.imports import ImportRoutes
from ringscope.client.insights import InsightRoutes
from ringscope.client.jobs import Job, JobRoutes
from ringscope.client.monitoring import MonitoringRoutes
from ringscope.client.nodes import Node, NodeRoutes
from ringscope.client.planning import PlanningRoutes
from ringscope.client.predictions import PredictionRoutes
from ringscope.client.results import ResultRoutes
from ringscope.client.schedules import Schedule, ScheduleRoutes
from ringscope.client.stream import StreamEvent, StreamRoutes, parse_events
from ringscope.client.tokens import TokenRoutes
from ringscope.client.traces import JobTrace, TracedOperation, TraceRoutes
from ringscope.client.training import Epoch, TrainingRoutes
from ringscope.client.view import Page, View
from ringscope.client.views.diagnoses import Diagnosis, Pair
from ringscope.client.views.events import Event, EventType
from ringscope.client.views.graphs import Graphs
from ringscope.client.views.insights import Activity, Check, Insight
from ringscope.client.views.jobs import Attempt, Delay, Pending, QueuePlan, Summary
from ringscope.client.views.monitoring import MonitoringFile, TargetGroup
from ringscope.client.views.nodes import Cluster
from ringscope.client.views.planning import Example, JobFit, PriceCell, PriceTable, Sensitivities
from ringscope.client.views.predictions import Against, ComparedRow, Interpolated, Regression, SearchPreview
from ringscope.client.views.results import Arrival, AttemptEnvironment, LogLine, Step
from ringscope.client.views.tokens import LoginLink, Me, ShareLink, Token
from ringscope.client.views.training import (
    CalledCollectives,
    CandidateResult,
    Curve,
    CurvePoint,
    Pipeline,
    PipelineStep,
    RankBuckets,
    Search,
    TensorCost,
)
from ringscope.client.views.webhooks import Delivery, NewWebhook
from ringscope.client.webhooks import Webhook, WebhookRoutes

__all__ = [
    "Activity",
    "Against",
    "ApiProblemError",
    "Arrival",
    "Attempt",
    "AttemptEnvironment",
    "CalledCollectives",
    "CandidateResult",
    "Check",
    "Client",
    "Cluster",
    "ComparedRow",
    "Curve",
    "CurvePoint",
    "Delay",
    "Delivery",
    "Diagnosis",
    "Epoch",
    "Event",
    "EventType",
    "Example",
    "Graphs",
    "Insight",
    "Interpolated",
    "Job",
    "JobFit",
    "JobTrace",
    "LogLine",
    "LoginLink",
    "Me",
    "MonitoringFile",
    "NewWebhook",
    "Node",
    "Page",
    "Pair",
    "Pending",
    "Pipeline",
    "PipelineStep",
    "PriceCell",
    "PriceTable",
    "QueuePlan",
    "RankBuckets",
    "Regression",
    "Schedule",
    "Search",
    "SearchPreview",
    "Sensitivities",
    "ServerAwayError",
    "ShareLink",
    "Step",
    "StreamEvent",
    "Summary",
    "TargetGroup",
    "TensorCost",
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
    DiagnosisRoutes,
    ImportRoutes,
    FileRoutes,
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
