"""A job's own environment variables."""

import pytest
from pydantic import ValidationError

from ringscope.contracts import environment
from ringscope.contracts.environment import DEFAULT_PATTERNS, REMOVED, digest, patterns_of, takes, with_removed_from
from ringscope.contracts.findings import field_errors
from ringscope.contracts.job import JobSpec


def test_a_node_takes_the_settings_of_libraries_and_what_users_name_as_theirs() -> None:
    for name in ("NCCL_ALGO", "OMP_NUM_THREADS", "HF_TOKEN", "PYTORCH_CUDA_ALLOC_CONF", "RINGSCOPE_USER_SEED"):
        assert takes(DEFAULT_PATTERNS, name)
    for name in ("HOME", "LD_PRELOAD", "PYTHONPATH", "PATH", "RINGSCOPE_SOCKET", "PMI_RANK", "nccl_algo"):
        assert not takes(DEFAULT_PATTERNS, name)


def test_names_that_load_programs_need_a_pattern_of_their_own() -> None:
    assert takes(["*"], "HOME")
    for name in ("LD_PRELOAD", "PYTHONPATH", "PATH"):
        assert not takes(["*", "L*", "P*"], name)
        assert takes([name], name)
    assert takes(["LD_*"], "LD_LIBRARY_PATH")
    assert not takes(["*", "RINGSCOPE_*"], "RINGSCOPE_TOKEN"), "no operator can hand over the names of Ringscope itself"


def test_a_name_from_which_a_library_loads_code_is_taken_only_by_its_whole_name() -> None:
    for name in (
        "CUDA_INJECTION64_PATH",
        "NCCL_NET_PLUGIN",
        "NCCL_TUNER_PLUGIN",
        "OMP_TOOL_LIBRARIES",
        "FI_PROVIDER_PATH",
    ):
        assert not takes(DEFAULT_PATTERNS, name)
        assert not takes(["*", f"{name}*", f"{name[:-1]}?"], name)
        assert takes([*DEFAULT_PATTERNS, name], name)
    assert takes(DEFAULT_PATTERNS, "NCCL_NET"), "the name of a network that NCCL has is no file"


def test_the_word_default_stands_for_the_usual_patterns() -> None:
    assert patterns_of(["default", "LD_PRELOAD"]) == (*DEFAULT_PATTERNS, "LD_PRELOAD")
    assert patterns_of(["NCCL_*"]) == ("NCCL_*",)


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"1A": "x"}, "'1A' is no name of a variable"),
        ({"A" * 201: "x"}, "is no name of a variable"),
        ({"A": "x" * 4097}, "the value of A is too long; give 4096 characters or fewer."),
        ({"A": "secret\0"}, "the value of A has a character that no variable can have"),
        ({f"A{number}": "" for number in range(101)}, "there are 101 variables; give 100 or fewer."),
    ],
)
def test_names_and_values_are_bounded(variables: dict[str, str], words: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        JobSpec(env=variables)
    (found,) = field_errors(refusal.value)
    assert found.pointer == "/env"
    assert words in found.detail
    assert "secret" not in found.detail


def test_secrets_are_not_shown() -> None:
    spec = JobSpec(env={"HF_TOKEN": "hf_1", "NCCL_ALGO": "Ring", "HF_ENDPOINT": "https://me:pw@hub"})
    assert spec.shown.env == {"HF_ENDPOINT": "https://hub", "HF_TOKEN": REMOVED, "NCCL_ALGO": "Ring"}
    assert spec.env["HF_TOKEN"] == "hf_1"
    assert environment.not_shown(spec.shown.env) == ["HF_TOKEN"]


def test_what_is_sent_back_as_it_was_shown_keeps_its_value() -> None:
    earlier = {"HF_TOKEN": "hf_1", "HF_ENDPOINT": "https://me:pw@hub", "NCCL_ALGO": "Ring"}
    sent = environment.shown(earlier) | {"NCCL_ALGO": "Tree"}
    assert with_removed_from(sent, earlier) == earlier | {"NCCL_ALGO": "Tree"}
    assert with_removed_from({"MKL_KEY": REMOVED}, earlier) == {"MKL_KEY": REMOVED}


def test_agents_of_earlier_versions_get_no_field_that_they_would_refuse() -> None:
    assert "env" not in JobSpec().model_dump(mode="json")
    assert JobSpec(env={"B": "2", "A": "1"}).model_dump(mode="json")["env"] == {"A": "1", "B": "2"}


def test_only_equal_environments_have_the_same_digest() -> None:
    assert digest({}) is None
    assert digest({"A": "1", "B": "2"}) == digest({"B": "2", "A": "1"})
    assert digest({"A": "1"}) != digest({"A": "2"})
