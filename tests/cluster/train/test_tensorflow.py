"""TensorFlow's strategies as real gangs: the same training as ours, told the same way."""

from collections.abc import Sequence
from operator import add

import numpy as np
import pytest
from tests.cluster.train.jobs import SMALL, run_training
from tests.cluster.train.keras_main import VARIANTS

from ringscope.contracts.rank_process import EXIT_FAILURE
from ringscope.contracts.record import Done, Record, Steps
from ringscope.contracts.training.record import Epoch
from ringscope.rank.local import Run

pytestmark = pytest.mark.long

TRAINING = SMALL | {"all_reduce": "auto"}
STEPS_PER_EPOCH = 12
TOLERANCE = 1e-4  # of a loss: float32, summed in another order
Told = tuple[Run, list[Record]]


def losses(records: Sequence[Record]) -> list[float]:
    """Return the loss of each step, as the mean over the samples of all ranks that reported any."""
    sums, samples = np.zeros(2 * STEPS_PER_EPOCH), np.zeros(2 * STEPS_PER_EPOCH)
    for record in records:
        if isinstance(record, Steps):
            assert record.loss is not None and record.samples is not None
            where = slice(record.first_step, record.first_step + len(record.loss))
            sums[where] += np.multiply(record.loss, record.samples)
            samples[where] += record.samples
    assert set(samples) == {TRAINING["global_batch_size"]}
    return [float(loss) for loss in sums / samples]


def epochs(records: Sequence[Record]) -> list[Epoch]:
    return [record for record in records if isinstance(record, Epoch)]


def ranks_that_tell(records: Sequence[Record]) -> set[int]:
    return {record.rank for record in records if isinstance(record, Steps)}


@pytest.fixture(scope="module")
def mirrored() -> Told:
    """Ours, to compare with."""
    return run_training(2)


@pytest.fixture(scope="module")
def keras(gang):
    return gang(1, "keras_main.py")


@pytest.mark.parametrize("name", VARIANTS)
def test_models_and_optimizers_of_keras_are_those_of_pytorch(keras, name):
    result = keras[name]
    assert result["losses"] == pytest.approx(result["expected"], rel=TOLERANCE)
    assert result["difference"] < 0.01  # of how far the parameters went


@pytest.mark.parametrize(
    ("strategy", "telling", "line"),
    [
        ("tf_multi_worker_mirrored", {0, 1}, "num_workers = 2, RING"),
        ("tf_mirrored", {0}, "num_replicas = 2"),
    ],
)
def test_every_step_has_the_loss_of_ours(mirrored: Told, strategy: str, telling: set[int], line: str) -> None:
    run, records = run_training(2, **TRAINING | {"strategy": strategy})
    assert (run.exit_code, run.reason) == (0, "")
    assert line in run.output
    assert losses(records) == pytest.approx(losses(mirrored[1]), rel=TOLERANCE)
    assert ranks_that_tell(records) == telling
    for record in records:
        if isinstance(record, Steps):
            assert set(record.communication_us) == set(record.exposed_us) == {0.0}  # nobody can measure it there
            whole_us = map(add, record.compute_us, record.input_us)
            assert list(whole_us) == pytest.approx(record.duration_us)
    ours = [(one.epoch, one.step, one.samples) for one in epochs(mirrored[1])]
    assert [(one.epoch, one.step, one.samples) for one in epochs(records)] == ours
    for mine, other in zip(epochs(records), epochs(mirrored[1]), strict=True):
        assert mine.validation_loss == pytest.approx(other.validation_loss, rel=TOLERANCE)
    assert {record.rank for record in records if isinstance(record, Done)} == {0, 1}


def test_parameter_servers_of_tensorflow_train() -> None:
    run, records = run_training(4, **TRAINING | {"strategy": "tf_parameter_server", "consistency": "async"})
    assert (run.exit_code, run.reason) == (0, "")
    assert "num_workers = 2, num_ps = 1" in run.output
    assert ranks_that_tell(records) == {0}
    assert len(losses(records)) == 2 * STEPS_PER_EPOCH
    first, second = epochs(records)
    assert (first.step, first.samples, second.step) == (STEPS_PER_EPOCH, 384, 2 * STEPS_PER_EPOCH)
    assert second.training_loss < first.training_loss
    assert second.validation_accuracy is not None and second.validation_accuracy > 0.1


def test_without_tensorflow_one_sentence_says_so(tmp_path, monkeypatch) -> None:
    (tmp_path / "tensorflow.py").write_text("raise ImportError('not here')\n")  # found first, so it hides a real one
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    run, _ = run_training(2, **TRAINING | {"strategy": "tf_multi_worker_mirrored"})
    assert run.exit_code == EXIT_FAILURE
    assert "TensorFlow cannot be imported (not here); pip install 'ringscope[tensorflow]' on every node." in run.reason
    assert "Traceback" not in run.output
