"""The fields of a training job, before they are checked against each other. Pure."""

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidatorFunctionWrapHandler, WrapValidator

from ringscope.contracts.spec_model import SpecModel
from ringscope.contracts.training.dataset import DatasetSpec
from ringscope.contracts.training.own import OwnModel
from ringscope.contracts.training.pipeline import PipelineSchedule
from ringscope.contracts.training.strategies import Consistency, SampleSplit, Strategy, Weights
from ringscope.contracts.words.collectives import Algorithm
from ringscope.contracts.words.devices import Device

ModelName = Literal["mlp", "cnn", "resnet18", "gpt"]
Optimizer = Literal["sgd", "adam", "adamw"]
Precision = Literal["float32", "bfloat16", "float16"]
Compression = Literal["none", "fp16", "top_k", "powersgd"]
BatchSplit = Literal["equal", "speed"]
OnNan = Literal["stop", "skip"]
TrainingTransport = Literal["auto", "shared_memory", "mpi", "nccl", "cuda_ipc"]
MAX_MODEL_ARGUMENT = 1 << 20

# The names in model_arguments are explained with the models: ringscope.train.models.
MODEL_ARGUMENTS: dict[str, dict[str, int]] = {
    "mlp": {"hidden": 256, "layers": 2},
    "cnn": {"channels": 64, "hidden": 64},
    "resnet18": {"width": 64},
    "gpt": {"layers": 2, "heads": 4, "width": 128, "context": 128},
}


_NAMES: TypeAdapter[ModelName] = TypeAdapter(ModelName)


def _model(value: Any, handler: ValidatorFunctionWrapHandler) -> ModelName | OwnModel:
    """Validate a name or an object; a union would list the faults of both."""
    return OwnModel.model_validate(value) if isinstance(value, (dict, OwnModel)) else _NAMES.validate_python(value)


Model = Annotated[ModelName | OwnModel, WrapValidator(_model)]


class TrainingFields(SpecModel):
    """Base of ``TrainingSpec``."""

    strategy: Strategy = Field(
        "mirrored",
        description="mirrored: replicas on one node; multi_worker_mirrored: on several; parameter_server: servers hold "
        "the parameters; local_sgd: ranks step alone and now and then average their parameters; sharded: as mirrored, "
        "with the optimizer in equal shares; pipeline: each rank computes some of the layers; tensor: each rank "
        "computes a part of each layer; torch_* and tf_*: the same training by PyTorch and TensorFlow, for comparison.",
    )
    all_reduce: Algorithm = Field(
        "auto",
        description="Algorithm that sums the gradients (tf: cross-device ops). auto starts from the measurements of "
        "earlier jobs or the cost model; mirrored strategies then try the likely ones in the first steps, and again "
        "when sums become slower.",
    )
    transport: TrainingTransport = Field(
        "auto", description="How our algorithms move data; auto chooses the first usable transport."
    )
    device: Device = "auto"
    servers: int = Field(
        1,
        ge=1,
        le=1024,
        description="Number of ranks of a parameter_server that hold the parameters, in equal shares.",
    )
    consistency: Consistency = Field(
        "sync",
        description="Whether a parameter_server waits for all workers in each step (sync), for none (async), or for "
        "the slowest within a bound (ssp).",
    )
    staleness: int | None = Field(
        None, ge=0, le=10_000, description="Steps that a worker may be ahead of the slowest one, with ssp."
    )
    sync_every: int = Field(
        8,
        ge=1,
        le=1_000_000,
        description="Steps that each rank of local_sgd makes between two averages.",
    )
    outer_momentum: float = Field(
        0.0, ge=0, lt=1, description="Nesterov momentum of local_sgd's averages; 0: the average itself (DiLoCo: 0.9)."
    )
    outer_learning_rate: float = Field(
        1.0, gt=0, le=10, description="How far local_sgd goes from the old to the new average; 1: all the way."
    )
    weights: Weights = Field(
        "samples", description="Weight of a rank in local_sgd's averages: its samples in a step, or equal."
    )
    split: SampleSplit = Field(
        "shared",
        description="by_label: each rank of local_sgd has only the samples of its own labels (federated learning).",
    )
    stages: int = Field(
        2, ge=2, le=64, description="Ranks of a pipeline over which the layers are cut; more ranks make more replicas."
    )
    micro_batches: int = Field(
        4, ge=1, le=256, description="Parts of a replica's batch that pass through a pipeline one after another."
    )
    schedule: PipelineSchedule = Field(
        "1f1b",
        description="Order of a pipeline: all forwards first (gpipe), a backward after each forward (1f1b), or that "
        "with two parts of the model on each rank (interleaved).",
    )
    model: Model = Field(
        "mlp",
        description="mlp, cnn and resnet18 read pictures, gpt reads tokens; or a model of your own, as "
        '{"file": "my_model.py", "build": "build"}.',
    )
    model_arguments: dict[str, int] = Field(
        default_factory=dict,
        description="Sizes of the model, such as hidden and layers of mlp; for an own model the "
        "arguments of its function.",
    )
    dataset: DatasetSpec = DatasetSpec()
    global_batch_size: int = Field(64, ge=1, le=1 << 20, description="Samples in a step, over all ranks.")
    batch_split: BatchSplit = Field(
        "equal", description="speed: each rank gets samples in proportion to its samples per second."
    )
    epochs: int = Field(10, ge=1, le=100_000, description="Number of passes over the samples.")
    max_steps: int | None = Field(
        None, ge=1, le=1 << 30, description="Step after which the training ends, even inside an epoch."
    )
    optimizer: Optimizer = "sgd"
    learning_rate: float = Field(0.05, gt=0, le=100)
    momentum: float = Field(0.9, ge=0, lt=1, description="Momentum of sgd.")
    weight_decay: float = Field(0.0, ge=0, le=10)
    precision: Precision = Field(
        "float32", description="Data type of forward and backward; parameters and optimizer stay float32."
    )
    compile: bool = Field(
        False,
        description="Compile forward and backward with torch.compile, which needs a C++ compiler on the nodes, on GPUs "
        "Triton. All gradients then come at the end of backward, so that no sum overlaps with it.",
    )
    accumulation_steps: int = Field(
        1, ge=1, le=4096, description="Batches whose gradients a rank accumulates before each sum over ranks."
    )
    bucket_bytes: int = Field(
        25 << 20, ge=1024, le=1 << 32, description="Gradients are summed in buckets of this size."
    )
    overlap: bool = Field(True, description="Sum the first buckets while backward still computes the others.")
    compression: Compression = Field("none", description="Format in which gradients are sent instead of float32.")
    top_k_percent: float = Field(
        1.0, gt=0, le=100, description="Share of the gradient's elements that top_k sends: the largest ones."
    )
    powersgd_rank: int = Field(2, ge=1, le=256, description="Rank of the matrices that powersgd sends.")
    clip_norm: float | None = Field(None, gt=0, description="The gradient's global norm is clipped to this.")
    on_nan: OnNan = Field(
        "stop",
        description="Action on a gradient that is not finite, which the job reports either way: the job stops, or all "
        "ranks skip the step.",
    )
    verify_every: int | None = Field(
        None,
        ge=1,
        le=1_000_000,
        description="Steps between two comparisons of all ranks' sums, bit by bit; none: only at the end of an epoch.",
    )
    checkpoint_every_steps: int | None = Field(
        None, ge=1, description="Steps between checkpoints, in addition to one at the end of each epoch."
    )
    resume_from: int | None = Field(
        None, ge=1, description="Number of an earlier job whose checkpoint the training starts from."
    )
    target_accuracy: float | None = Field(
        None,
        gt=0,
        le=1,
        description="Accuracy on the held-out samples; the job reports when it is reached, and continues.",
    )
    seed: int = Field(0, ge=0, lt=1 << 32, description="Seed of the first parameters and of the order of samples.")
    timeout_seconds: int = Field(
        300, ge=1, le=86_400, description="How long a rank waits for another one before it fails and names that rank."
    )
