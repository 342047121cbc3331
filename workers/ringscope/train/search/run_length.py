"""The steps of a candidate's run: those that warm up, and the blocks that are timed. Pure."""

from dataclasses import dataclass

_FIRST_WARM_STEPS = 3  # libraries initialise in them, and memory is touched for the first time
_FIRST_STEPS = 3  # timed steps of a candidate's first run, which only tells how long a step takes
_WARM_SECONDS = 0.4  # the first steps of a later run, too, take up to 1.5 times as long as those that follow
_TIMED_SECONDS = 1.2
_FEWEST_STEPS, _MOST_STEPS = 6, 1800  # timed steps of a later run
# A block is a value, and the median of many is not moved by a stall that hits some of them.
_FEW_BLOCKS, _MANY_BLOCKS = 3, 9
_STEPS_OF_MANY = 2  # there are many blocks only if each has as many steps


@dataclass(frozen=True)
class RunLength:
    """The steps of a run: ``warm_steps``, and ``blocks`` of ``block_steps`` that are timed."""

    warm_steps: int
    blocks: int
    block_steps: int

    @property
    def steps(self) -> int:
        """Return all steps."""
        return self.warm_steps + self.blocks * self.block_steps


def run_length(step_us: float | None, period: int = 1) -> RunLength:
    """Return the length of a candidate's next run, by the time of a step in its last one; None: it is the first.

    Every ``period`` steps are alike, as the averages of local SGD: a block has whole periods. A later run is never as
    long as the first: from both lengths follows what a step sends, without what the start of a run sends.
    """
    first = RunLength(_FIRST_WARM_STEPS, *_blocks(_FIRST_STEPS, period))
    if step_us is None:
        return first
    fitting = max(_FEWEST_STEPS, min(_MOST_STEPS, int(_TIMED_SECONDS * 1e6 / step_us)))
    warm_steps = max(_FIRST_WARM_STEPS, min(_MOST_STEPS, int(_WARM_SECONDS * 1e6 / step_us)))
    found = RunLength(warm_steps, *_blocks(fitting, period))
    return found if found.steps != first.steps else RunLength(warm_steps + 1, found.blocks, found.block_steps)


def _blocks(steps: int, period: int) -> tuple[int, int]:
    """Return the number of blocks, and the steps of each: whole periods that are about as many steps as asked for."""
    periods = max(1, steps // period)
    blocks = _MANY_BLOCKS if periods >= _STEPS_OF_MANY * _MANY_BLOCKS else min(_FEW_BLOCKS, periods)
    return blocks, periods // blocks * period
