"""`ringscope fit`, and what `ringscope plan` makes of it: without a server, without MPI; and from a job's rows."""

import json
import math
from pathlib import Path

import pytest
from tests.cli.conftest import assert_refused, clean_environment, run_ringscope

CLUSTER = ("--topology", "2x4", "--link", "ib200", "--intra", "300GB/s", "--nics", "1", "--gamma", "20GB/s")
SWEEP = ("-b", "1K", "-e", "4M", "-f", "16", "-n", "1", "--algorithm", "ring,hierarchical,tree,halving_doubling")


def ringscope(*arguments: str) -> str:
    done = run_ringscope(*arguments, environment=clean_environment())
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture(scope="module")
def simulation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A simulated sweep: what went into it is known."""
    path = tmp_path_factory.mktemp("fit") / "simulation.json"
    ringscope("bench", "--transport", "simulated", *CLUSTER, *SWEEP, "--json", str(path))
    return path


def test_a_simulation_gives_back_what_went_into_it(simulation: Path) -> None:
    first, _, figures, quality, *_ = ringscope("fit", str(simulation)).splitlines()
    assert first == "32 rows, which are SIMULATED: halving_doubling, hierarchical, ring, tree over simulated, 8 ranks"
    assert figures.split() == ["any", "size", "1.3", "us", "25", "GB/s", "0", "us", "300", "GB/s", "20", "GB/s"]
    assert quality == "median error 0.0%, R² 1.0000; the rows furthest off:"


def test_a_plan_by_a_fit_is_the_plan_by_what_it_found(simulation: Path, tmp_path: Path) -> None:
    fitted = tmp_path / "fit.json"
    fitted.write_text(ringscope("fit", str(simulation), "--json"))
    shape = (
        "plan",
        "--topology",
        "4x4",
        "--nics",
        "1",
        "--bytes",
        "1MiB",
        "--algorithm",
        "ring,hierarchical",
        "--json",
    )
    by_fit = json.loads(ringscope(*shape, "--fit", str(fitted)))
    known = json.loads(ringscope(*shape, "--link", "ib200", "--intra", "300GB/s", "--gamma", "20GB/s"))
    assert by_fit["fit"]["transport"] == "simulated"
    for ours, theirs in zip(by_fit["results"], known["results"], strict=True):
        assert ours["time_s"] == pytest.approx(theirs["time_s"], rel=1e-3)
    assert "parameters from a fit of SIMULATED rows" in ringscope(*shape[:-1], "--fit", str(fitted))


def test_what_is_known_against_a_files_rows_is_said(simulation: Path, tmp_path: Path) -> None:
    results = json.loads(simulation.read_text())
    results["results"][0]["in_place"]["nwrong"] = 3
    results["results"][-1]["cores"] = 2
    bad, fitted = tmp_path / "bad.json", tmp_path / "fit.json"
    bad.write_text(json.dumps(results))
    doubts = [
        f"{bad}: 3 elements of its rows were wrong.",
        f"{bad}: 8 ranks on 2 cores: the ranks shared cores, which affects every time.",
    ]
    assert ringscope("fit", str(simulation), str(bad)).splitlines()[1:3] == doubts
    fitted.write_text(ringscope("fit", str(bad), "--json"))
    assert json.loads(fitted.read_text())["caveats"] == doubts
    plan = "plan", "--topology", "4x4", "--algorithm", "ring", "--fit", str(fitted)
    assert ringscope(*plan).splitlines()[-2:] == doubts


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("fit",), "FILE: give either files with results, or a job with --job."),
        (("fit", "/nowhere.json"), "/nowhere.json cannot be read (No such file or directory); name a file"),
        (("fit", "{simulation}", "--ranks-per-node", "3"), "--ranks-per-node, --nics: ranks: 8 ranks do not fill"),
        (("fit", "{simulation}", "--job", "1"), "FILE: give either files with results, or a job with --job"),
        (("plan", "--fit", "/nowhere.json"), "--fit: /nowhere.json cannot be read"),
        (("plan", "--fit", "{simulation}"), "does not contain a fit; write one with `ringscope fit RESULTS --json`."),
        (("plan", "--fit", "{simulation}", "--link", "ib200"), "--fit: it contains the speed of links and additions"),
    ],
)
def test_refusals_are_one_line(simulation: Path, arguments: tuple[str, ...], sentence: str) -> None:
    words = [word.format(simulation=simulation) for word in arguments]
    assert_refused(run_ringscope(*words, environment=clean_environment()), sentence)


def test_a_file_without_a_sweep_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    for text, sentence in (("{}", "it holds no sweep"), ("not json", "it is not valid JSON at line 1, column 1;")):
        path.write_text(text)
        assert_refused(run_ringscope("fit", str(path), environment=clean_environment()), str(path), sentence)


def test_json_that_is_not_quite_json_is_read_and_says_what_it_leaves_out(simulation: Path, tmp_path: Path) -> None:
    results = json.loads(simulation.read_text())
    spoiled = results["results"][0]["in_place"]
    spoiled["time"] = math.inf
    results["results"][0].pop("in_place_per_iter", None)
    loose = tmp_path / "loose.json"
    loose.write_text(json.dumps(results).replace("Infinity", "inf").replace("]}", ",]}"))
    assert f"{loose}: Left out: 1 row without a time (inf or nan)." in ringscope("fit", str(loose)).splitlines()
