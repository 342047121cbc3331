"""A training spec refuses fields that do not fit together."""

import pytest
from pydantic import ValidationError

from ringscope.contracts.findings import field_errors
from ringscope.contracts.training import OWN_FIELDS, TENSORFLOW, TrainingSpec


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ({"clip_norm": 1.0}, "no server sees the whole gradient"),
        ({"precision": "float16"}, "servers have no loss scale"),
        ({"device": "cuda"}, "servers work in host memory"),
        ({"all_reduce": "ring"}, "servers sum the gradients"),
    ],
)
def test_parameter_servers_refuse_what_they_cannot_do(option: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValidationError) as refused:
        TrainingSpec.model_validate({"strategy": "parameter_server"} | option)
    (found,) = field_errors(refused.value)
    assert found.pointer == f"/{next(iter(option))}" and sentence in found.detail


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ({"precision": "float16"}, "each rank would have its own loss scale"),
        ({"split": "by_label", "model": "gpt", "dataset": {"name": "synthetic"}}, "tokens, which have no labels"),
        ({"compression": "fp16"}, "local_sgd does not use it; leave compression out or choose mirrored"),
        ({"servers": 2}, "leave servers out or choose parameter_server"),
    ],
)
def test_local_sgd_refuses_what_it_cannot_do(option: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValidationError) as refused:
        TrainingSpec.model_validate({"strategy": "local_sgd"} | option)
    (found,) = field_errors(refused.value)
    assert found.pointer == f"/{next(iter(option))}" and sentence in found.detail


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ({"compression": "fp16"}, "sharded does not use it; leave compression out or choose mirrored"),
        ({"all_reduce": "tree"}, "tree leaves no share of the sum on each rank; choose auto or ring or"),
        ({"all_reduce": "mpi"}, "mpi leaves no share of the sum on each rank"),
        ({"sync_every": 2}, "leave sync_every out or choose local_sgd"),
    ],
)
def test_sharded_refuses_what_it_cannot_do(option: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValidationError) as refused:
        TrainingSpec.model_validate({"strategy": "sharded"} | option)
    (found,) = field_errors(refused.value)
    assert found.pointer == f"/{next(iter(option))}" and sentence in found.detail


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ({"checkpoint_every_steps": 5}, "torch_fsdp writes no checkpoints"),
        ({"resume_from": 1}, "torch_fsdp reads no checkpoints"),
        ({"all_reduce": "ring"}, "torch_fsdp sums by itself"),
        ({"batch_split": "speed"}, "torch_fsdp does not use it"),
    ],
)
def test_torch_fsdp_refuses_what_it_does_not_do(option: dict[str, object], sentence: str) -> None:
    assert not TrainingSpec.model_validate({"strategy": "torch_fsdp"}).keeps_checkpoints
    with pytest.raises(ValidationError) as refused:
        TrainingSpec.model_validate({"strategy": "torch_fsdp"} | option)
    (found,) = field_errors(refused.value)
    assert found.pointer == f"/{next(iter(option))}" and sentence in found.detail


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ({"stages": 4}, "mlp has 3 layers here, too few for 4 parts; choose fewer stages or more layers."),
        ({"stages": 2, "schedule": "interleaved"}, "mlp has 3 layers here, too few for 4 parts"),
        (
            {"micro_batches": 3, "schedule": "interleaved", "model_arguments": {"layers": 3}},
            "interleaved needs a multiple of the 2 stages; choose one.",
        ),
        ({"accumulation_steps": 2}, "a pipeline accumulates the gradients of its micro_batches; leave it out."),
        ({"precision": "float16"}, "no common loss scale; choose bfloat16 or float32."),
        ({"device": "cuda"}, "sends activations from host memory; choose cpu or auto."),
        ({"compression": "fp16"}, "pipeline does not use it; leave compression out or choose mirrored"),
        ({"verify_every": 2}, "leave verify_every out or choose local_sgd"),
    ],
)
def test_a_pipeline_refuses_what_it_cannot_do(option: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValidationError) as refused:
        TrainingSpec.model_validate({"strategy": "pipeline"} | option)
    (found,) = field_errors(refused.value)
    assert sentence in found.detail


def test_the_ranks_of_pipelines_are_whole_replicas_with_a_sample_for_each_micro_batch() -> None:
    spec = TrainingSpec.model_validate({"strategy": "pipeline", "global_batch_size": 16, "micro_batches": 8})
    assert spec.check_ranks(4) is None
    assert spec.check_ranks(3) == ("stages", "3 ranks are no multiple of 2 stages; change one of them.")
    assert spec.check_ranks(6) == (
        "global_batch_size",
        "16 samples cannot be split over 3 replicas with 8 batches each; raise it.",
    )


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ({"model": "cnn"}, "tensor divides pairs of linear layers, which cnn does not consist of; choose mlp or gpt."),
        ({"model": "resnet18"}, "which resnet18 does not consist of; choose mlp or gpt."),
        ({"precision": "float16"}, "tensor has no loss scale; choose bfloat16 or float32."),
        ({"device": "cuda"}, "tensor sums activations in host memory; choose cpu or auto."),
        ({"compression": "fp16"}, "tensor does not use it; leave compression out or choose mirrored"),
        ({"batch_split": "speed"}, "tensor does not use it; leave batch_split out or choose mirrored"),
        ({"stages": 3}, "leave stages out or choose pipeline"),
    ],
)
def test_tensor_refuses_what_it_cannot_do(option: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValidationError) as refused:
        TrainingSpec.model_validate({"strategy": "tensor"} | option)
    (found,) = field_errors(refused.value)
    assert sentence in found.detail


def test_the_ranks_of_tensor_divide_its_layers_and_not_its_samples() -> None:
    spec = TrainingSpec.model_validate({"strategy": "tensor", "global_batch_size": 1})
    assert [spec.check_ranks(ranks) for ranks in (1, 2, 4, 256)] == [None] * 4
    assert spec.check_ranks(3) == (
        "model_arguments",
        "hidden is 256, which 3 ranks cannot divide equally; choose a multiple of the ranks, or other ranks.",
    )
    gpt = TrainingSpec.model_validate({"strategy": "tensor", "model": "gpt", "dataset": {"name": "synthetic"}})
    assert gpt.check_ranks(4) is None
    assert "heads is 4, which 8 ranks cannot divide" in (gpt.check_ranks(8) or ("", ""))[1]
    few = TrainingSpec.model_validate({"strategy": "tensor", "global_batch_size": 2, "accumulation_steps": 3})
    assert few.check_ranks(2) == (
        "global_batch_size",
        "2 samples cannot be split into 3 batches; raise it.",
    )


@pytest.mark.parametrize("option", [{"batch_split": "speed"}, {"clip_norm": 1.0}, {"all_reduce": "ring_pipelined"}])
def test_sharded_takes_what_it_can(option: dict[str, object]) -> None:
    TrainingSpec.model_validate({"strategy": "sharded", "device": "cuda", "precision": "float16"} | option)


@pytest.mark.parametrize("name", sorted(OWN_FIELDS))
def test_a_field_of_one_strategy_is_refused_by_another(name: str) -> None:
    values = {"servers": 2, "consistency": "async", "staleness": 1, "split": "by_label", "weights": "equal"}
    values |= {"batch_split": "speed", "compression": "fp16", "schedule": "gpipe", "stages": 3, "compile": True}
    with pytest.raises(ValidationError) as refused:
        TrainingSpec.model_validate({"strategy": "torch_fsdp", name: values.get(name, 0.5 if "outer" in name else 2)})
    assert f"leave {name} out or choose" in field_errors(refused.value)[0].detail


def test_by_label_needs_a_label_for_each_rank() -> None:
    spec = TrainingSpec.model_validate({"strategy": "local_sgd", "split": "by_label"})
    assert spec.check_ranks(10) is None
    assert spec.check_ranks(11) == ("split", "digits has 10 labels for 11 ranks; choose shared or fewer ranks.")


@pytest.mark.parametrize("way", ["top_k", "powersgd"])
def test_what_was_not_sent_stays_of_one_scale(way: str) -> None:
    with pytest.raises(ValidationError) as refused:
        TrainingSpec.model_validate({"compression": way, "precision": "float16"})
    (found,) = field_errors(refused.value)
    assert found.pointer == "/precision" and f"{way} keeps unsent values for later steps" in found.detail
    for precision in ("float32", "bfloat16"):
        TrainingSpec.model_validate({"compression": way, "precision": precision})


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ({"model": "gpt", "dataset": {"name": "synthetic"}}, "choose mlp, cnn or resnet18"),
        ({"device": "cuda"}, "computes on CPUs"),
        ({"precision": "bfloat16"}, "computes in float32"),
        ({"accumulation_steps": 2}, "leave it out"),
        ({"clip_norm": 1.0}, "leave it out"),
        ({"checkpoint_every_steps": 5}, "writes no checkpoints"),
        ({"resume_from": 1}, "reads no checkpoints"),
        ({"all_reduce": "ring"}, "sums by itself"),
        ({"on_nan": "skip"}, "choose stop"),
        ({"compression": "fp16"}, "choose mirrored or multi_worker_mirrored"),
    ],
)
@pytest.mark.parametrize("strategy", sorted(TENSORFLOW))
def test_tensorflows_strategies_refuse_what_they_do_not_do(
    strategy: str, option: dict[str, object], sentence: str
) -> None:
    plain = {"strategy": strategy} | ({"consistency": "async"} if strategy == "tf_parameter_server" else {})
    assert not TrainingSpec.model_validate(plain).keeps_checkpoints
    with pytest.raises(ValidationError) as refused:
        TrainingSpec.model_validate(plain | option)
    (found,) = field_errors(refused.value)
    assert found.pointer == f"/{next(iter(option))}" and sentence in found.detail


def test_tensorflows_servers_wait_for_nobody_and_need_a_rank_that_hands_out_the_work() -> None:
    with pytest.raises(ValidationError) as refused:
        TrainingSpec.model_validate({"strategy": "tf_parameter_server"})
    (found,) = field_errors(refused.value)
    assert found.pointer == "/consistency" and found.detail.endswith("set consistency to async.")
    spec = TrainingSpec.model_validate({"strategy": "tf_parameter_server", "consistency": "async", "servers": 2})
    assert spec.check_ranks(4) is None
    field, sentence = spec.check_ranks(3) or ("", "")
    assert field == "servers" and "one that hands out the work, leave no worker" in sentence
