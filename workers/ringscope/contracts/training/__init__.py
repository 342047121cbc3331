"""Specification of a job that trains a model or runs a script. Pure."""

from ringscope.contracts.training.dataset import DatasetName, DatasetSpec
from ringscope.contracts.training.fields import (
    MODEL_ARGUMENTS,
    Compression,
    ModelName,
    OnNan,
    Optimizer,
    Precision,
)
from ringscope.contracts.training.own import OwnModel
from ringscope.contracts.training.pipeline import PipelineSchedule, ideal_bubble, parts_per_rank
from ringscope.contracts.training.script import ScriptSpec
from ringscope.contracts.training.spec import TrainingSpec
from ringscope.contracts.training.strategies import (
    LOCAL_SGD,
    MIRRORED,
    ONE_NODE,
    OWN_FIELDS,
    PARAMETER_SERVERS,
    PIPELINE,
    SHARDED,
    STRATEGIES,
    TENSOR,
    TENSORFLOW,
    Consistency,
    Strategy,
    libraries,
)

__all__ = [
    "LOCAL_SGD",
    "MIRRORED",
    "MODEL_ARGUMENTS",
    "ONE_NODE",
    "OWN_FIELDS",
    "PARAMETER_SERVERS",
    "PIPELINE",
    "SHARDED",
    "STRATEGIES",
    "TENSOR",
    "TENSORFLOW",
    "Compression",
    "Consistency",
    "DatasetName",
    "DatasetSpec",
    "ModelName",
    "OnNan",
    "Optimizer",
    "OwnModel",
    "PipelineSchedule",
    "Precision",
    "ScriptSpec",
    "Strategy",
    "TrainingSpec",
    "ideal_bubble",
    "libraries",
    "parts_per_rank",
]
