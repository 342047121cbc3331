"""`ringscope slurm` where there is no Slurm: the script, and what is refused. With one: tests/cluster/slurm."""

import os
import sys
from pathlib import Path

from tests.cli.conftest import Server, assert_refused

from ringscope.cli.batch.allocation import Allocation, batch_script

FAKE_SBATCH = """#!/bin/sh
cat > "$0.script"
printf '%s' "$RINGSCOPE_JOIN_TOKEN" > "$0.token"
env > "$0.environment"
echo "$@" > "$0.arguments"
echo "7;cluster"
"""
ASKED = ("slurm", "--nodes", "2", "--time", "60")


def test_a_dry_run_prints_the_script_and_asks_nobody(server: Server) -> None:
    done = server.run(*ASKED, "--slots", "3", "--dry-run", "--url", "http://127.0.0.1:9", PATH="")
    assert done.returncode == 0, done.stderr
    asked = Allocation(nodes=2, time="60", slots=3, server="http://127.0.0.1:9", python=sys.executable)
    assert done.stdout == batch_script(asked)


def test_where_slurm_is_missing_one_sentence_says_so_and_no_token_is_left(server: Server) -> None:
    before = server.run("tokens").stdout
    done = server.run(*ASKED, PATH="")
    assert_refused(done, "sbatch is not found: run this where Slurm's commands are installed")
    assert server.run("tokens").stdout == before


def test_bad_input_is_refused_before_a_token_is_made(server: Server) -> None:
    assert_refused(server.run("slurm", "--nodes", "2", "--time", "soon"), "time: 'soon' is not a time for Slurm")


def test_the_token_goes_by_the_environment_alone(server: Server, tmp_path: Path) -> None:
    sbatch = tmp_path / "sbatch"
    sbatch.write_text(FAKE_SBATCH)
    sbatch.chmod(0o700)
    done = server.run(
        *ASKED, "--name", "night", PATH=f"{tmp_path}:{os.environ['PATH']}", RINGSCOPE_TOKEN=server.admin_token
    )
    assert (done.returncode, done.stdout) == (0, "7\n"), done.stderr
    assert "as slurm-7-NODE" in done.stderr
    assert "give --server" in done.stderr
    secret = Path(f"{sbatch}.token").read_text()
    assert secret.startswith("rs_")
    assert secret not in Path(f"{sbatch}.script").read_text() + Path(f"{sbatch}.arguments").read_text() + done.stderr
    assert server.admin_token not in Path(f"{sbatch}.environment").read_text()
    made = next(line for line in server.run("tokens").stdout.splitlines() if "night" in line)
    assert " join " in made
