"""Check that the options of a training job go together; a refusal is one sentence at the field to change. Pure."""

from ringscope.contracts.spec_model import at
from ringscope.contracts.training.fields import MODEL_ARGUMENTS, TrainingFields
from ringscope.contracts.training.own import OwnModel
from ringscope.contracts.training.pipeline import layer_count, parts_per_rank
from ringscope.contracts.training.strategies import (
    LOCAL_SGD,
    OWN_FIELDS,
    PEERS,
    PIPELINE,
    SHARDED,
    TENSOR,
    TENSORFLOW,
    WITHOUT_CHECKPOINTS,
)
from ringscope.contracts.training.tensor import DIVIDED

# Whether a field has a value that its strategy cannot follow, and the sentence that says so.
_Refusals = dict[str, tuple[bool, str]]
# Algorithms of an all-reduce that may leave an equal share of the sum on each rank halfway.
_IN_SHARES = ("auto", "ring", "ring_pipelined", "direct", "halving_doubling", "hierarchical")


def check(spec: TrainingFields) -> None:
    """Raise a validation error at the first field that does not go with the others."""
    rules = (
        *(_own_fields, _staleness, _servers, _local_sgd, _sharded, _pipeline, _tensor),
        *(_tensorflow, _peers, _float16, _skipping),
    )
    for rule in rules:
        for name, (is_refused, sentence) in rule(spec).items():
            if is_refused:
                raise at((name,), sentence, getattr(spec, name))


def _own_fields(spec: TrainingFields) -> _Refusals:
    return {
        name: (
            spec.strategy not in strategies and _is_changed(spec, name),
            f"{spec.strategy} does not use it; leave {name} out or choose {' or '.join(sorted(strategies))}.",
        )
        for name, strategies in OWN_FIELDS.items()
    }


def _staleness(spec: TrainingFields) -> _Refusals:
    sentence = (
        "ssp needs a bound; say how many steps a worker may be ahead."
        if spec.staleness is None
        else f"{spec.consistency} has no bound; leave staleness out or choose ssp."
    )
    return {"staleness": ((spec.consistency == "ssp") != (spec.staleness is not None), sentence)}


def _servers(spec: TrainingFields) -> _Refusals:
    if spec.strategy != "parameter_server":
        return {}
    return {
        "clip_norm": (spec.clip_norm is not None, "no server sees the whole gradient; leave it out."),
        "precision": (spec.precision == "float16", "servers have no loss scale; choose bfloat16 or float32."),
        "device": (spec.device == "cuda", "servers work in host memory; choose cpu or auto."),
        "all_reduce": (spec.all_reduce != "auto", "servers sum the gradients; leave it at auto."),
    }


def _local_sgd(spec: TrainingFields) -> _Refusals:
    if spec.strategy not in LOCAL_SGD:
        return {}
    has_no_labels = spec.split == "by_label" and (spec.model == "gpt" or spec.dataset.name == "own")
    samples = "the labels of an own dataset are not known"
    if spec.dataset.name != "own":
        samples = "gpt reads tokens, which have no labels"
    return {
        "precision": (
            spec.precision == "float16",
            "each rank would have its own loss scale; choose bfloat16 or float32.",
        ),
        "split": (has_no_labels, f"{samples}; choose shared."),
    }


def _sharded(spec: TrainingFields) -> _Refusals:
    is_refused = spec.strategy in SHARDED and spec.all_reduce not in _IN_SHARES
    sentence = f"{spec.all_reduce} leaves no share of the sum on each rank; choose {' or '.join(_IN_SHARES)}."
    return {"all_reduce": (is_refused, sentence)}


def _pipeline(spec: TrainingFields) -> _Refusals:
    if spec.strategy not in PIPELINE:
        return {}
    parts = spec.stages * parts_per_rank(spec.schedule)
    layers = parts  # layers of an own model are counted when it is built
    if not isinstance(spec.model, OwnModel):
        layers = layer_count(spec.model, MODEL_ARGUMENTS[spec.model] | spec.model_arguments)
    is_uneven = spec.schedule == "interleaved" and spec.micro_batches % spec.stages != 0
    return {
        "stages": (
            parts > layers,
            f"{spec.model} has {layers} layers here, too few for {parts} parts; choose fewer stages or more layers.",
        ),
        "micro_batches": (is_uneven, f"interleaved needs a multiple of the {spec.stages} stages; choose one."),
        "accumulation_steps": (
            spec.accumulation_steps != 1,
            "a pipeline accumulates the gradients of its micro_batches; leave it out.",
        ),
        "precision": (
            spec.precision == "float16",
            "the stages of a pipeline have no common loss scale; choose bfloat16 or float32.",
        ),
        "device": (spec.device == "cuda", "a pipeline sends activations from host memory; choose cpu or auto."),
    }


def _tensor(spec: TrainingFields) -> _Refusals:
    if spec.strategy not in TENSOR:
        return {}
    return {
        "model": (
            spec.model not in DIVIDED,
            f"tensor divides pairs of linear layers, which {spec.model} does not consist of; choose mlp or gpt.",
        ),
        "dataset": (
            spec.dataset.name == "own",
            "tensor plans its sums from the shapes of samples, which are not known of an own dataset; choose another.",
        ),
        "precision": (spec.precision == "float16", "tensor has no loss scale; choose bfloat16 or float32."),
        "device": (spec.device == "cuda", "tensor sums activations in host memory; choose cpu or auto."),
    }


def _tensorflow(spec: TrainingFields) -> _Refusals:
    if spec.strategy not in TENSORFLOW:
        return {}
    one_strategy = f"{spec.strategy} is only for comparing step times"
    return {
        "model": (
            spec.model == "gpt" or isinstance(spec.model, OwnModel),
            f"{spec.model} is not available for TensorFlow; choose mlp, cnn or resnet18.",
        ),
        "dataset": (
            spec.dataset.name == "own",
            "an own dataset is not available for TensorFlow; choose digits, cifar10 or synthetic.",
        ),
        "device": (spec.device == "cuda", f"{spec.strategy} computes on CPUs here; choose cpu or auto."),
        "precision": (spec.precision != "float32", f"{spec.strategy} computes in float32; leave it out."),
        "accumulation_steps": (spec.accumulation_steps != 1, f"{one_strategy}, each of one batch; leave it out."),
        "clip_norm": (spec.clip_norm is not None, f"{one_strategy}, without gradient clipping; leave it out."),
        "consistency": (
            spec.strategy == "tf_parameter_server" and spec.consistency != "async",
            "TensorFlow's servers apply each gradient when it comes; set consistency to async.",
        ),
    }


def _peers(spec: TrainingFields) -> _Refusals:
    has_none = spec.strategy in WITHOUT_CHECKPOINTS
    sums_itself = spec.strategy in PEERS and spec.all_reduce != "auto"
    return {
        "all_reduce": (sums_itself, f"{spec.strategy} sums by itself; leave it at auto."),
        "checkpoint_every_steps": (
            has_none and spec.checkpoint_every_steps is not None,
            f"{spec.strategy} writes no checkpoints; leave it out.",
        ),
        "resume_from": (
            has_none and spec.resume_from is not None,
            f"{spec.strategy} reads no checkpoints; leave it out.",
        ),
    }


def _float16(spec: TrainingFields) -> _Refusals:
    if spec.precision != "float16":
        return {}
    if spec.device == "cpu":
        return {"precision": (True, "float16 is for GPUs; choose bfloat16 or float32.")}
    sentence = (
        f"{spec.compression} keeps unsent values for later steps, but float16's loss scale changes in between; "
        "choose bfloat16 or float32."
    )
    return {"precision": (spec.compression in ("top_k", "powersgd"), sentence)}


def _skipping(spec: TrainingFields) -> _Refusals:
    sentence = f"{spec.strategy} updates parameters in TensorFlow, before a gradient can be checked; choose stop."
    return {"on_nan": (spec.on_nan == "skip" and spec.strategy in TENSORFLOW, sentence)}


def _is_changed(spec: TrainingFields, name: str) -> bool:
    return bool(getattr(spec, name) != type(spec).model_fields[name].default)
