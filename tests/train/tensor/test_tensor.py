"""Models divided over virtual ranks beside one process that trains the whole model."""

from pathlib import Path
from typing import Any

import pytest
import torch
from tests.train.single_process import alone, losses_of
from tests.train.tensor.virtual_tensor import (
    GPT,
    MLP,
    assembled,
    assert_equal,
    spec_of,
    trained,
)
from tests.train.virtual_ranks import VirtualCommunicator, on_ranks

from ringscope.contracts.record import Steps
from ringscope.contracts.training import TrainingSpec
from ringscope.contracts.training import size as training_size
from ringscope.contracts.training.record import Buckets, Diverged, Epoch
from ringscope.engine.errors import DifferenceError, DivergedError
from ringscope.train.digest import digest
from ringscope.train.optimizer import build_optimizer

ADAM = {"optimizer": "adam", "learning_rate": 1e-3}


@pytest.mark.parametrize(
    ("ranks", "options"),
    [
        (1, GPT),
        (2, MLP),
        (2, MLP | {"model_arguments": {"hidden": 6, "layers": 1}}),
        (3, MLP | {"clip_norm": 0.1} | ADAM),
        (4, MLP | {"model_arguments": {"hidden": 8, "layers": 4}, "accumulation_steps": 5}),
        (2, GPT | {"clip_norm": 0.5}),
        (2, GPT | {"optimizer": "adamw", "learning_rate": 1e-3, "accumulation_steps": 3}),
        (3, GPT | {"model_arguments": {"layers": 1, "heads": 3, "width": 12, "context": 8}}),
        (4, GPT | ADAM),
    ],
    ids=lambda value: value if isinstance(value, int) else " ".join(map(str, value.values())),
)
def test_losses_and_parameters_are_those_of_one_process_to_rounding(ranks: int, options: dict[str, Any]) -> None:
    spec = spec_of(**options)
    module, losses = alone(spec)
    found = trained(ranks, spec)
    assert len({digest(divided) for divided, _ in found}) == 1
    for divided, records in found:
        assert losses_of(records) == pytest.approx(losses, rel=1e-5)
        assert_equal(divided, module)


@pytest.mark.parametrize("options", [MLP, GPT], ids=lambda options: options["model"])
def test_bfloat16_trains_as_one_process_does(options: dict[str, Any]) -> None:
    spec = spec_of(**options, precision="bfloat16")
    found = trained(2, spec)
    assert losses_of(found[0][1]) == pytest.approx(alone(spec)[1], rel=1e-2)
    assert len({digest(divided) for divided, _ in found}) == 1


def test_each_sample_counts_once_although_every_rank_has_it() -> None:
    found = trained(2, spec_of(**MLP, epochs=1, max_steps=None))
    counts = [sum(sum(each.samples or ()) for each in records if isinstance(each, Steps)) for _, records in found]
    assert counts == [96, 0]
    (epoch,) = (record for record in found[0][1] if isinstance(record, Epoch))
    assert (epoch.samples, epoch.step) == (96, 8)


@pytest.mark.parametrize("options", [MLP, GPT, GPT | {"accumulation_steps": 5}], ids=lambda o: " ".join(map(str, o)))
def test_the_sums_of_a_step_are_those_that_the_specification_counts(options: dict[str, Any]) -> None:
    spec = spec_of(**options)
    records = trained(2, spec)[1][1]
    told = [record for record in records if isinstance(record, Buckets)][-1]
    expected = sorted(training_size.activation_sums(spec).elements())
    assert sorted(told.bytes) == expected
    steps = [record for record in records if isinstance(record, Steps)][-1]
    assert steps.bytes == sum(expected) and steps.bus_factor == 1.0  # 2(N-1)/N
    assert steps.exposed_us == pytest.approx(steps.communication_us)


def test_a_block_sums_twice_forward_and_twice_backward_in_this_order() -> None:
    spec = spec_of(**GPT | {"model_arguments": {"layers": 1, "heads": 2, "width": 8, "context": 8}})
    told = [record for record in trained(2, spec)[0][1] if isinstance(record, Buckets)][-1]
    assert list(zip(told.layer or (), told.direction or (), strict=True)) == [
        ("blocks.0.attention_out", "forward"),
        ("blocks.0.mlp_out", "forward"),
        ("blocks.0.mlp_in", "backward"),
        ("blocks.0.query_key_value", "backward"),
    ]
    assert told.end_us == sorted(told.end_us) and told.backward_us >= told.end_us[-1]


@pytest.mark.parametrize(("options", "ranks"), [(MLP, (2, 3)), (GPT | ADAM, (4, 2))], ids=["mlp", "gpt"])
def test_a_checkpoint_goes_on_with_another_number_of_ranks(
    options: dict[str, Any], ranks: tuple[int, int], tmp_path: Path
) -> None:
    first, then = ranks
    trained(first, spec_of(**options, max_steps=2), tmp_path)
    found = trained(then, spec_of(**options), tmp_path)
    module, losses = alone(spec_of(**options))
    assert losses_of(found[0][1]) == pytest.approx(losses[2:], rel=1e-5)
    assert_equal(found[0][0], module)


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_a_checkpoint_is_that_of_an_optimizer_of_the_whole_model(optimizer: str, tmp_path: Path) -> None:
    spec = spec_of(**GPT | {"optimizer": optimizer, "learning_rate": 1e-3})
    trained(2, spec, tmp_path)
    module, _ = alone(spec)
    plain = build_optimizer(spec, module)
    saved = torch.load(next(tmp_path.glob("*4.pt")), weights_only=True)
    module.load_state_dict(saved["model"])
    plain.load_state_dict(saved["optimizer"])
    kept = plain.state_dict()["state"]
    assert len(kept) == len(list(module.parameters()))
    shapes = [tuple(parameter.shape) for parameter in module.parameters()]
    for name in ("momentum_buffer",) if optimizer == "sgd" else ("exp_avg", "exp_avg_sq"):
        assert [tuple(kept[number][name].shape) for number in range(len(shapes))] == shapes


def test_a_gradient_that_is_not_finite_stops_every_rank_and_names_the_layer() -> None:
    def program(comm: Any) -> tuple[str, list[Any]]:
        records: list[Any] = []
        trainer = assembled(comm, spec_of(**MLP), records.append)
        replica: Any = trainer._replica
        if comm.rank == 1:  # one rank's part of a divided layer
            with torch.no_grad():
                next(share.mine for share in replica._whole.shares if share.cut).fill_(float("inf"))
        replica._whole.note_update()
        with pytest.raises(DivergedError) as stopped:
            trainer.run()
        return str(stopped.value), records

    found = on_ranks(2, program, VirtualCommunicator)
    assert all("layer 1 was the first" in sentence for sentence, _ in found)
    told = [[record for record in records if isinstance(record, Diverged)] for _, records in found]
    assert [len(each) for each in told] == [1, 0]


def steps_with_a_wrong_rank(spec: TrainingSpec) -> list[str]:
    """Return each rank's error in a training in which rank 1 scales a gradient of its norm."""

    def program(comm: Any) -> str:
        trainer = assembled(comm, spec, lambda record: None)
        norm: Any = trainer.module.norm
        with pytest.raises(DifferenceError) as stopped:
            norm.register_full_backward_hook(lambda *_: None) if comm.rank else None
            parameters: Any = next(iter(norm.parameters()))
            if comm.rank == 1:
                parameters.register_hook(lambda gradient: gradient * 1.5)
            trainer.run()
        return str(stopped.value)

    return on_ranks(2, program, VirtualCommunicator)


def test_a_rank_whose_undivided_gradient_differs_is_found_within_verify_every_steps() -> None:
    for sentence in steps_with_a_wrong_rank(spec_of(**GPT, verify_every=2)):
        assert "had other bits on rank 1 than on rank 0" in sentence


def test_a_rank_whose_undivided_parameters_differ_is_found_at_the_end_of_an_epoch() -> None:
    for sentence in steps_with_a_wrong_rank(spec_of(**GPT)):
        assert "After epoch 1 the model has, after the same steps, other parameters on rank 1" in sentence
