"""Where a script is, and what is said when it is not there."""

import pytest

import ringscope
from ringscope.contracts.training import ScriptSpec
from ringscope.engine.errors import EngineError
from ringscope.rank.script import script_file


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
