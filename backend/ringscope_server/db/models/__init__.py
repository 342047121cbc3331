"""The tables, a module for each kind of thing. Times are UTC; durations carry their unit in the name."""

from ringscope_server.db.models.base import Base, BigKey, UtcDateTime
from ringscope_server.db.models.diagnoses import DiagnosisVerdict, LinkMeasurement
from ringscope_server.db.models.events import Event
from ringscope_server.db.models.imports import Import, ImportedFile
from ringscope_server.db.models.insights import Insight, Pulse
from ringscope_server.db.models.jobs import IS_HELD, IS_UNJUDGED, Allocation, Attempt, Job, Member
from ringscope_server.db.models.nodes import Node, NodeMinute, QuarantinedSlot
from ringscope_server.db.models.results import LogLine, Measurement, Step, Trace
from ringscope_server.db.models.schedules import Schedule
from ringscope_server.db.models.scheduling import Lease, Usage
from ringscope_server.db.models.training import (
    Epoch,
    RankBuckets,
    RankCollectives,
    RankPipelineStep,
    RankTotals,
    SearchRecord,
)
from ringscope_server.db.models.users import IdempotencyKey, Token
from ringscope_server.db.models.webhooks import Webhook, WebhookDelivery

__all__ = [
    "IS_HELD",
    "IS_UNJUDGED",
    "Allocation",
    "Attempt",
    "Base",
    "BigKey",
    "DiagnosisVerdict",
    "Epoch",
    "Event",
    "IdempotencyKey",
    "Import",
    "ImportedFile",
    "Insight",
    "Job",
    "Lease",
    "LinkMeasurement",
    "LogLine",
    "Measurement",
    "Member",
    "Node",
    "NodeMinute",
    "Pulse",
    "QuarantinedSlot",
    "RankBuckets",
    "RankCollectives",
    "RankPipelineStep",
    "RankTotals",
    "Schedule",
    "SearchRecord",
    "Step",
    "Token",
    "Trace",
    "Usage",
    "UtcDateTime",
    "Webhook",
    "WebhookDelivery",
]
