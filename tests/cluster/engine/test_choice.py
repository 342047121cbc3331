"""auto on real ranks: all take the same; `ringscope tune` measures what `ringscope bench` then goes by."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from tests.cli.conftest import run_ringscope
from tests.cluster.lab import ringscope

SMALL = ("-b", "1K", "-e", "64K", "-f", "8", "-n", "3", "-w", "1")


def run(data_dir: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"RINGSCOPE_DATA_DIR": str(data_dir)}
    return subprocess.run(ringscope(*arguments), env=environment, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("ranks", [2, pytest.param(3, marks=pytest.mark.long)])
def test_all_ranks_choose_alike_without_a_table_of_their_own(gang, ranks):
    done = gang(ranks, "choice_main.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("all asserts held") == ranks


@pytest.mark.long
def test_what_was_tuned_is_what_auto_takes(tmp_path):
    tuned = run(tmp_path, "tune", "--ranks", "2,3", "--keep", *SMALL)
    assert (tuned.returncode, tuned.stderr) == (0, "")
    assert f"{tmp_path / 'tuning.json'} holds 132 times." in tuned.stdout  # 11 algorithms, 3 sizes, 2 places, 2 numbers
    again = run(tmp_path, "tune", "--collective", "broadcast", "--ranks", "2", "--keep", *SMALL)
    assert "holds 156 times." in again.stdout, "4 more algorithms; what was there stays"

    out = tmp_path / "out.json"
    bench = run(tmp_path, "bench", "--ranks", "3", *SMALL, "--algorithm", "auto,ring", "--json", str(out))
    assert (bench.returncode, bench.stderr) == (0, "")
    table = json.loads((tmp_path / "tuning.json").read_text())
    results = json.loads(out.read_text())["results"]
    for result in results[:3]:
        for place in ("out_of_place", "in_place"):
            times = {
                curve["algorithm"]: curve["times_us"][str(result["size"])]
                for curve in table["curves"]
                if (curve["collective"], curve["shape"]) == ("all_reduce", "1x3")
                and curve["in_place"] is (place == "in_place")
            }
            assert times[result[place]["chosen_algorithm"]] == min(times.values())
            assert result[place]["chosen_because"].startswith("measured: ")
    assert "chosen_algorithm" not in results[3]["out_of_place"]

    comments = [line for line in bench.stdout.splitlines() if line.startswith("# auto took ")]
    assert comments
    assert all(
        re.match(r"# auto took \w+, (out of|in) place, [\d.]+ \w+( to [\d.]+ \w+)?; measured: ", c) for c in comments
    )
    rows = [line.split() for line in bench.stdout.splitlines() if line and not line.startswith("#")][:-1]
    assert all(len(row) == 13 and row[8] == row[12] == "0" for row in rows)


def test_without_a_table_the_likeliest_are_tried_and_it_says_so(tmp_path):
    done = run(tmp_path, "bench", "alltoall", "--ranks", "2", *SMALL, "--algorithm", "auto")
    assert (done.returncode, done.stderr) == (0, "")
    figures = r"tried here: \w+ [\d.]+ \w+, .* at 1 KiB, turn by turn"
    expected = (
        "(, within 5 % of the fastest, and expected to be the fastest)?"  # which of two equals it is, chance tells
    )
    assert re.search(rf"^# auto took \w+, .*; {figures}{expected}\.$", done.stdout, re.M)


@pytest.mark.long
def test_a_damaged_table_is_told_before_ranks_start(tmp_path):
    (tmp_path / "tuning.json").write_text("{")
    for arguments in (("bench", "--algorithm", "auto", *SMALL), ("tune", "--show")):
        done = run_ringscope(*arguments, environment=os.environ | {"RINGSCOPE_DATA_DIR": str(tmp_path)})
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            f"{tmp_path / 'tuning.json'} is damaged or of another version; remove it and run `ringscope tune` again.\n"
        )
    done = run(tmp_path, "bench", "--ranks", "1", "--algorithm", "ring", *SMALL)
    assert done.returncode == 0, "whoever does not ask need not know"
