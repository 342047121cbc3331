"""Sentences on what is wrong with a node's GPUs (pure)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ringscope.contracts.reading import GpuState

# NVIDIA's list of XIDs, those that tell of the GPU itself. The others are mostly faults of programs.
XIDS = {
    48: "a memory error that ECC could not correct",
    62: "its microcontroller halted",
    64: "a broken memory row could not be recorded for replacement",
    74: "an error of an NVLink",
    79: "it fell off the bus",
    92: "many memory errors that ECC corrected",
    94: "a memory error that was contained",
    95: "a memory error that was not contained",
    119: "its system processor does not answer",
    120: "its system processor failed",
    140: "a memory error that was not recovered",
}


def sentences(states: Sequence[GpuState]) -> list[str]:
    """Return what is wrong with the GPUs of one node, the most severe fault of each first."""
    most_links: defaultdict[str, int] = defaultdict(int)
    for state in states:
        most_links[state.model] = max(most_links[state.model], state.nvlinks_up or 0)
    return [sentence for state in states for sentence in _faults(state, most_links[state.model])]


def _faults(state: GpuState, most_links: int) -> Iterator[str]:
    name = f"GPU {state.index}"
    if state.has_remap_failed:
        yield f"{name} could not replace a broken row of its memory; replace the GPU."
    if state.ecc_uncorrected:
        errors = "a memory error" if state.ecc_uncorrected == 1 else f"{state.ecc_uncorrected} memory errors"
        yield f"{name} had {errors} that ECC could not correct; end its jobs and reset it."
    if state.is_remap_pending:
        yield f"{name} replaces a broken part of its memory only when it is reset; end its jobs and reset it."
    for xid in dict.fromkeys(xid for xid in state.xids if xid in XIDS):
        yield f"The driver reported XID {xid} of {name}: {XIDS[xid]}."
    if state.nvlinks_up is not None and state.nvlinks_up < most_links:
        yield f"{name} has {state.nvlinks_up} active NVLinks, and others of this node have {most_links}."


def lost(indices_before: Iterable[int], states: Sequence[GpuState]) -> list[str]:
    """Return a sentence for each GPU that answered before and does not answer now."""
    missing = sorted({*indices_before} - {state.index for state in states})
    return [f"GPU {index} does not answer any more; restart the node." for index in missing]
