"""Published runs that are not in the data file, with what the user says beside and the judgement that is right."""

from pathlib import Path
from typing import NamedTuple

from tests.imports.published import FOLDER

from ringscope.expected.judgement import Judgement
from ringscope.expected.published import published
from ringscope.imports.files import read_file
from ringscope.imports.judged import Given, judged
from ringscope.imports.model import Run

HELD_OUT = Path(__file__).parent / "heldout"
CARDS = (8, 400.0)


class Case(NamedTuple):
    """A file, the facts that it lacks, the right word, and whether the run is healthy."""

    path: Path
    given: Given
    word: str
    is_healthy: bool = True
    run: int = 0

    def read(self) -> Run:
        return read_file(self.path.read_bytes()).runs[self.run]


def held_out(name: str) -> Path:
    return HELD_OUT / f"{name}.txt"


CASES = (
    Case(held_out("h100_1_node"), Given(), "as expected"),
    Case(held_out("h100_2_nodes_misconfigured"), Given(), "low", False),
    Case(held_out("h100_2_nodes_ring"), Given(), "low", False),
    Case(held_out("h100_2_nodes_ib400"), Given(gpu="H100", nodes=2, cards=CARDS), "as expected"),
    Case(held_out("h200_2_nodes_roce400"), Given(cards=CARDS), "as expected"),
    Case(held_out("a100_2_nodes_unknown_cards"), Given(), "unknown"),
    Case(held_out("a100_4_nodes_sharp"), Given(gpu="A100", nodes=4), "unknown"),
    Case(held_out("b200_2_nodes_all_gather"), Given(), "as expected"),
    Case(held_out("gb300_2_hosts_alltoall"), Given(), "unknown"),
    Case(held_out("h100_pair_alltoall"), Given(), "as expected"),
    Case(held_out("h100_pair_sendrecv"), Given(), "as expected"),
    Case(held_out("h200_1_node_torch"), Given(), "as expected"),
    Case(FOLDER / "superbench" / "results_summary.jsonl", Given(gpu="A100", nodes=1), "as expected"),
    Case(FOLDER / "nccl-tests-text" / "legacy_three_headers_in_one_file.txt", Given(), "unknown", run=1),
)


def judgement(run: Run, given: Given) -> Judgement:
    return judged(run, given, published())
