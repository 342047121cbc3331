"""The mode of a benchmark: what changes its times and is in no row."""

from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.judging.mode import DEFAULT, mode_of, non_default


def test_another_environment_is_another_mode_and_no_secret_is_told() -> None:
    spec = BenchmarkSpec()
    mode = mode_of(spec, {"NCCL_ALGO": "Ring", "HF_TOKEN": "hf_1"})
    assert mode_of(spec, {}) == DEFAULT
    assert mode != mode_of(spec, {"NCCL_ALGO": "Tree", "HF_TOKEN": "hf_1"})
    text = "HF_TOKEN=[removed] NCCL_ALGO=Ring"
    assert non_default(mode) == {f"env {text}": f"for the variables {text}"}
    assert non_default(DEFAULT) == {}
