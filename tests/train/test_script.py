"""A script is found below its folder, and a missing one is named in a sentence."""

from typing import cast

import pytest

import ringscope
from ringscope.contracts.training import ScriptSpec
from ringscope.engine.communicator import Communicator
from ringscope.engine.errors import EngineError
from ringscope.rank.script import script_file
from ringscope.rank.step_log import StepLog

NAMES = ("loss", "samples", "duration_us", "compute_us", "input_us", "communication_us", "exposed_us", "size_bytes")


def test_a_file_is_found_below_the_folder(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.py").touch()
    assert script_file(ScriptSpec(file="a/b.py"), str(tmp_path)) == tmp_path.resolve() / "a" / "b.py"


def test_without_a_folder_the_sentence_names_the_option():
    with pytest.raises(EngineError, match="start its agent with --scripts FOLDER"):
        script_file(ScriptSpec(file="a.py"), None)


def test_a_link_cannot_lead_out_of_the_folder(tmp_path):
    (tmp_path / "outside.py").touch()
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "a.py").symlink_to(tmp_path / "outside.py")
    with pytest.raises(EngineError, match="leads out of the node's folder"):
        script_file(ScriptSpec(file="a.py"), str(tmp_path / "scripts"))


def test_outside_of_a_job_a_step_is_told_to_nobody():
    ringscope.log_step(loss=1.0, samples=3)


@pytest.mark.parametrize("value", [-1, float("nan"), 1e16])
@pytest.mark.parametrize("name", ["duration_us", "compute_us", "input_us", "communication_us", "exposed_us"])
def test_a_time_that_is_none_is_refused_where_it_is_told(name: str, value: float) -> None:
    with pytest.raises(EngineError, match=rf"^{name}: .* is not a duration; give 0 or more microseconds\.$"):
        StepLog(cast(Communicator, None), lambda record: None).log(**dict.fromkeys(NAMES) | {name: value})
