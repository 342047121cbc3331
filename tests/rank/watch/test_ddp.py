"""The gradient sums of DistributedDataParallel, from the log that its reducer writes."""

from types import ModuleType, SimpleNamespace
from typing import Any

from ringscope.rank.watch.ddp import DdpLog, Sums


class Model:
    """A fake of the parts of DistributedDataParallel that the watch uses."""

    def __init__(self, device: str, fails: bool = False) -> None:
        if fails:
            raise ValueError("no parameters")
        self.device, self.rate = device, 100
        self.numbers: dict[str, int] = {}
        self.texts = {"bucket_sizes": "100, 20", "comm_hook": ""}
        self.logger = SimpleNamespace(
            _get_ddp_logging_data=lambda: SimpleNamespace(ints_map=self.numbers, strs_map=self.texts)
        )

    def parameters(self) -> Any:
        return iter([SimpleNamespace(device=SimpleNamespace(type=self.device))])

    def _set_ddp_runtime_logging_sample_rate(self, rate: int) -> None:
        self.rate = rate


def watched() -> tuple[Any, DdpLog]:
    module: Any = ModuleType("torch.nn.parallel.distributed")
    module.DistributedDataParallel = type("DDP", (Model,), {"__init__": Model.__init__})
    log = DdpLog(lambda error: (_ for _ in ()).throw(error))  # type: ignore[arg-type, return-value]
    log.wrap(module)
    return module.DistributedDataParallel, log


def test_the_sums_of_each_iteration_are_read_once() -> None:
    kind, log = watched()
    assert (log.has_models, log.read()) == (False, Sums())
    model = kind("cpu")
    assert (log.has_models, model.rate) == (True, 1)
    model.numbers = {"iteration": 1, "backward_comm_time": 9_000, "backward_compute_comm_overlap_time": 5_000}
    assert log.read() == Sums(9_000, 4_000, (100, 20))
    assert log.read() == Sums()
    model.numbers["iteration"] = 2
    model.texts["rebuilt_bucket_sizes"] = "120"
    assert log.read().buckets == (120,)


def test_a_gpu_is_not_asked_for_its_times_in_every_step() -> None:
    kind, _ = watched()
    assert kind("cuda").rate == 100


def test_the_collectives_of_a_hook_of_the_script_count_as_its_calls() -> None:
    kind, log = watched()
    model = kind("cpu")
    model.numbers, model.texts["comm_hook"] = {"iteration": 1, "backward_comm_time": 9_000}, "compress"
    assert log.read() == Sums(9_000, 9_000, ())
    model.numbers["iteration"], model.texts["comm_hook"] = 2, "ddp_hook"
    assert log.read().buckets == (100, 20)


def test_a_model_that_is_gone_is_no_longer_read() -> None:
    kind, log = watched()
    model = kind("cpu")
    model.logger = None
    assert log.read() == Sums()
    del model
    assert not log.has_models


def test_the_reducers_are_told_how_often_they_are_read() -> None:
    kind, log = watched()
    model, on_a_gpu = kind("cpu"), kind("cuda")
    assert not log.knows_all
    log.note_every(8)
    assert (model.rate, on_a_gpu.rate, kind("cpu").rate) == (8, 100, 8)
