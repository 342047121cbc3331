"""`ringscope check` as HealthCheckProgram of a real Slurm: a node that is low is drained, one that is fine is not."""

import json
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.cluster.lab import eventually
from tests.cluster.slurm.batch_system import Slurm, running_slurm

from ringscope.engine.cores import hardware

ROOT = Path(__file__).parents[3]
# a rate that every machine reaches, and one that none reaches
REACHED, UNREACHED = 1e-6, 1e6
PROGRAM = """\
#!/bin/sh
export RINGSCOPE={bin}/ringscope SLURM_CONF={folder}/slurm.conf
NODE=${{SLURMD_NODENAME:-n1}}
[ -e {folder}/go ] && ! [ -e {folder}/checked-$NODE ] || exit 0
export NODE CHECK="--for 4s --baseline-file {folder}/$NODE.json"
{root}/deploy/slurm/ringscope-check
touch {folder}/checked-$NODE
"""


def baseline(file: Path, rate: float) -> None:
    span = {"low": rate, "high": rate}
    made = {"hardware": hardware(), "made_at": datetime.now(UTC).isoformat()}
    file.write_text(json.dumps(made | {"rates": {"memory bandwidth": span, "all-reduce": span}}))


@pytest.fixture
def slurm() -> Iterator[Slurm]:
    with tempfile.TemporaryDirectory(prefix="rs-check-") as path:
        folder = Path(path)
        baseline(folder / "n1.json", UNREACHED)
        baseline(folder / "n2.json", REACHED)
        program = folder / "check"
        program.write_text(PROGRAM.format(bin=Path(sys.executable).parent, folder=folder, root=ROOT))
        program.chmod(0o755)
        more = f"HealthCheckProgram={program}\nHealthCheckInterval=5\nHealthCheckNodeState=ANY\n"
        with running_slurm(folder, more) as running:
            yield running


@pytest.mark.long
def test_a_low_node_is_drained_with_the_sentence_and_a_fine_one_stays(slurm: Slurm) -> None:
    def state(node: str) -> str:
        return slurm.run("sinfo", "--noheader", "--nodes", node, "--format=%t")

    (slurm.folder / "go").touch()
    for node in ("n1", "n2"):
        eventually(lambda node=node: (slurm.folder / f"checked-{node}").exists(), f"the check of {node}", 180)
    assert state("n1") == "drain"
    reason = slurm.run("scontrol", "show", "node", "n1")
    assert "Reason=ringscope check: " in reason and "low. memory bandwidth" in reason
    assert state("n2") == "idle"
    slurm.run("scontrol", "update", "nodename=n1", "state=resume")
