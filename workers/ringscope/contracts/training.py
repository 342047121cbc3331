"""Specification of a training job: a model, a dataset, and how the ranks share the work of each step. Pure."""

from typing import Literal, Self, get_args

from pydantic import Field, model_validator

from ringscope.contracts.spec_model import SpecModel
from ringscope.contracts.spec_model import at as _at
from ringscope.contracts.words.collectives import Algorithm
from ringscope.contracts.words.devices import Device

Strategy = Literal[
    "mirrored",
    "multi_worker_mirrored",
    "parameter_server",
    "torch_ddp",
    "tf_mirrored",
    "tf_multi_worker_mirrored",
    "tf_parameter_server",
    "tpu",
]
Consistency = Literal["sync", "async", "ssp"]
ModelName = Literal["mlp", "cnn", "resnet18", "gpt"]
DatasetName = Literal["digits", "cifar10", "text", "synthetic"]
Optimizer = Literal["sgd", "adam", "adamw"]
Precision = Literal["float32", "bfloat16", "float16"]
Compression = Literal["none", "fp16", "top_k", "powersgd"]
BatchSplit = Literal["equal", "speed"]
OnNan = Literal["stop", "continue"]
TrainingTransport = Literal["auto", "shared_memory", "mpi", "nccl", "cuda_ipc"]

STRATEGIES: tuple[str, ...] = get_args(Strategy)
MIRRORED = frozenset({"mirrored", "multi_worker_mirrored"})  # our own strategies, with one gradient sum per step
# Strategies for one node, each with its equivalent for several nodes.
ONE_NODE = {"mirrored": "multi_worker_mirrored", "tf_mirrored": "tf_multi_worker_mirrored"}
TENSORFLOW = frozenset({"tf_mirrored", "tf_multi_worker_mirrored", "tf_parameter_server"})
PARAMETER_SERVERS = frozenset({"parameter_server", "tf_parameter_server"})
PEERS = TENSORFLOW | {"torch_ddp"}  # strategies of other libraries, for comparison: they sum gradients themselves
MAX_MODEL_ARGUMENT = 1 << 20

# The names in model_arguments are explained with the models: ringscope.train.models.
MODEL_ARGUMENTS: dict[str, dict[str, int]] = {
    "mlp": {"hidden": 256, "layers": 2},
    "cnn": {"channels": 64, "hidden": 64},
    "resnet18": {"width": 64},
    "gpt": {"layers": 2, "heads": 4, "width": 128, "context": 128},
}
_SEQUENCES = frozenset({"text"})  # datasets of tokens; the others are pictures


def libraries(strategy: str) -> dict[str, str]:
    """Return the libraries that each rank's node needs, with the extra of ringscope that installs each."""
    # TensorFlow's strategies train our models, which are written in PyTorch.
    return {"torch": "train"} | ({"tensorflow": "tensorflow"} if strategy in TENSORFLOW else {})


class DatasetSpec(SpecModel):
    """Source of the samples. Nothing is downloaded."""

    name: DatasetName = "digits"
    path: str | None = Field(
        None,
        min_length=1,
        max_length=4096,
        description="Folder on every node: for cifar10 the unpacked python version, for text the files.",
    )
    samples: int | None = Field(
        None, ge=16, le=1 << 24, description="Number of samples that synthetic generates; null: 8192."
    )
    validation_percent: int = Field(
        20,
        ge=1,
        le=90,
        description="Part of the samples that is held out, for datasets without a test set of their own.",
    )

    @model_validator(mode="after")
    def _has_what_it_needs(self) -> Self:
        if self.name in ("cifar10", "text") and self.path is None:
            raise _at(("path",), f"{self.name} is read from a folder on every node; name it.", None)
        if self.name in ("digits", "synthetic") and self.path is not None:
            raise _at(("path",), f"{self.name} is not read from a folder; leave path out.", self.path)
        if self.name != "synthetic" and self.samples is not None:
            raise _at(("samples",), f"{self.name} has a fixed number of samples; leave samples out.", self.samples)
        return self


class TrainingSpec(SpecModel):
    """Data-parallel training: every rank has the whole model and processes its part of every global batch."""

    strategy: Strategy = Field(
        "mirrored",
        description="mirrored: replicas on one node; multi_worker_mirrored: on several; parameter_server: servers hold "
        "the parameters; torch_ddp and tf_*: the same training by PyTorch and TensorFlow, for comparison.",
    )
    all_reduce: Algorithm = Field(
        "auto",
        description="Algorithm that sums the gradients (tf: cross-device ops). auto makes no trial runs here: it uses "
        "the measurements of earlier jobs, else the cost model.",
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
    model: ModelName = Field("mlp", description="mlp, cnn and resnet18 read pictures, gpt reads tokens.")
    model_arguments: dict[str, int] = Field(
        default_factory=dict, description="Sizes of the model, such as hidden and layers of mlp."
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
        "stop", description="Action on a loss or parameters that are not finite; the job reports them either way."
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

    @property
    def is_mirrored(self) -> bool:
        """Return whether every step ends with an all-reduce of all gradients by our engine."""
        return self.strategy in MIRRORED

    @property
    def keeps_checkpoints(self) -> bool:
        """Return whether another job can resume where this one stopped."""
        return self.strategy not in TENSORFLOW

    def sizes(self) -> dict[str, int]:
        """Return the model's arguments, with its defaults for missing ones."""
        return MODEL_ARGUMENTS[self.model] | self.model_arguments

    @model_validator(mode="after")
    def _is_there(self) -> Self:
        if self.strategy == "tpu":
            raise _at(
                ("strategy",),
                "no node of Ringscope has a TPU; choose mirrored or multi_worker_mirrored.",
                self.strategy,
            )
        return self

    @model_validator(mode="after")
    def _model_takes_the_arguments(self) -> Self:
        known = MODEL_ARGUMENTS[self.model]
        for name, value in self.model_arguments.items():
            if name not in known:
                raise _at(("model_arguments", name), f"{self.model} has no {name}; it takes {', '.join(known)}.", value)
            if not 1 <= value <= MAX_MODEL_ARGUMENT:
                raise _at(("model_arguments", name), f"give 1 to {MAX_MODEL_ARGUMENT}.", value)
        sizes = self.sizes()
        if self.model == "gpt" and sizes["width"] % sizes["heads"]:
            raise _at(
                ("model_arguments", "heads"),
                f"a width of {sizes['width']} cannot be split into {sizes['heads']} heads; choose a divisor of width.",
                sizes["heads"],
            )
        return self

    @model_validator(mode="after")
    def _model_reads_the_dataset(self) -> Self:
        if (self.model == "gpt") != (self.dataset.name in _SEQUENCES) and self.dataset.name != "synthetic":
            other = "text or synthetic" if self.model == "gpt" else "digits, cifar10 or synthetic"
            raise _at(
                ("dataset", "name"), f"{self.model} cannot read {self.dataset.name}; choose {other}.", self.dataset.name
            )
        return self

    @model_validator(mode="after")
    def _options_belong_to_the_strategy(self) -> Self:
        given = self.model_fields_set
        if self.strategy not in PARAMETER_SERVERS:
            for name in ("servers", "consistency", "staleness"):
                if name in given and getattr(self, name) != type(self).model_fields[name].default:
                    raise _at(
                        (name,),
                        f"{self.strategy} has no parameter servers; leave {name} out or choose parameter_server.",
                        getattr(self, name),
                    )
        if (self.consistency == "ssp") != (self.staleness is not None):
            sentence = (
                "ssp needs a bound; say how many steps a worker may be ahead."
                if self.staleness is None
                else f"{self.consistency} has no bound; leave staleness out or choose ssp."
            )
            raise _at(("staleness",), sentence, self.staleness)
        if not self.is_mirrored:
            ours = {"batch_split": "equal", "compression": "none"}
            for name, plain in ours.items():
                if getattr(self, name) != plain:
                    raise _at(
                        (name,), f"only mirrored strategies support this, not {self.strategy}.", getattr(self, name)
                    )
        if self.strategy == "parameter_server":
            cannot = {
                "clip_norm": (self.clip_norm is not None, "no server sees the whole gradient; leave it out."),
                "precision": (self.precision == "float16", "servers have no loss scale; choose bfloat16 or float32."),
                "device": (self.device == "cuda", "servers work in host memory; choose cpu or auto."),
                "all_reduce": (self.all_reduce != "auto", "servers sum the gradients; leave it at auto."),
            }
            for name, (is_asked, sentence) in cannot.items():
                if is_asked:
                    raise _at((name,), sentence, getattr(self, name))
        if self.strategy in TENSORFLOW:
            self._refuse_what_tensorflow_does_not_do()
        if self.strategy in PEERS and "all_reduce" in given and self.all_reduce != "auto":
            raise _at(("all_reduce",), f"{self.strategy} sums by itself; leave it at auto.", self.all_reduce)
        if self.precision == "float16" and self.device == "cpu":
            raise _at(("precision",), "float16 is for GPUs; choose bfloat16 or float32.", self.precision)
        if self.precision == "float16" and self.compression in ("top_k", "powersgd"):
            sentence = (
                f"{self.compression} keeps unsent values for later steps, but float16's loss scale changes in between; "
                "choose bfloat16 or float32."
            )
            raise _at(("precision",), sentence, self.precision)
        return self

    def _refuse_what_tensorflow_does_not_do(self) -> None:
        one_strategy = f"{self.strategy} is only for comparing step times"
        cannot = {
            "model": (self.model == "gpt", "gpt is not available for TensorFlow; choose mlp, cnn or resnet18."),
            "device": (self.device == "cuda", f"{self.strategy} computes on CPUs here; choose cpu or auto."),
            "precision": (self.precision != "float32", f"{self.strategy} computes in float32; leave it out."),
            "accumulation_steps": (self.accumulation_steps != 1, f"{one_strategy}, each of one batch; leave it out."),
            "clip_norm": (self.clip_norm is not None, f"{one_strategy}, without gradient clipping; leave it out."),
            "checkpoint_every_steps": (
                self.checkpoint_every_steps is not None,
                f"{self.strategy} writes no checkpoints; leave it out.",
            ),
            "resume_from": (self.resume_from is not None, f"{self.strategy} reads no checkpoints; leave it out."),
            "consistency": (
                self.strategy == "tf_parameter_server" and self.consistency != "async",
                "TensorFlow's servers apply each gradient when it comes; set consistency to async.",
            ),
        }
        for name, (is_asked, sentence) in cannot.items():
            if is_asked:
                raise _at((name,), sentence, getattr(self, name))

    def check_ranks(self, ranks: int) -> tuple[str, str] | None:
        """Return the field that does not fit this number of ranks, and why; None if all fit."""
        workers = ranks - (self.servers if self.strategy in PARAMETER_SERVERS else 0)
        if self.strategy == "tf_parameter_server":
            workers -= 1  # rank 0 hands out the work
            if workers < 1:
                return (
                    "servers",
                    f"{self.servers} of {ranks} ranks as servers, and one that hands out the work, leave no worker; "
                    "lower servers or raise ranks.",
                )
        if workers < 1:
            return (
                "servers",
                f"{self.servers} of {ranks} ranks as servers leave no worker; lower servers or raise ranks.",
            )
        if self.global_batch_size < workers * self.accumulation_steps:
            return (
                "global_batch_size",
                f"{self.global_batch_size} samples cannot be split over {workers} ranks with "
                f"{self.accumulation_steps} batches each; raise it.",
            )
        return None


class ScriptSpec(SpecModel):
    """A Python file of the node's own, run by every rank."""

    file: str = Field(
        min_length=1, max_length=4096, description="Path below the folder given to the agents with --scripts."
    )
    arguments: tuple[str, ...] = Field((), max_length=1000)
    device: Device = "auto"

    @model_validator(mode="after")
    def _stays_below(self) -> Self:
        parts = self.file.split("/")
        if self.file.startswith("/") or ".." in parts or not self.file.endswith(".py"):
            raise _at(
                ("file",), "name a .py file by its path below the agents' folder of scripts, without `..`.", self.file
            )
        return self
