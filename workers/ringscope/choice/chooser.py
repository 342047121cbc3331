"""Choose the algorithm of ``auto``: the fastest measured in such a situation, otherwise by the cost model. Pure."""

from ringscope.choice.measured import Measured
from ringscope.choice.modelled import Model, Priced
from ringscope.choice.situation import Choice, Situation, base_of
from ringscope.contracts.tuning import HALVES, Table
from ringscope.contracts.words.collectives import SCHEDULED, VENDORS
from ringscope.contracts.words.devices import MPI_ON_GPUS

_BETWEEN_NODES = ("ring", "hierarchical")


def candidates(collective: str, transport: str) -> tuple[str, ...]:
    """Return what ``auto`` can choose: our schedules, and the library that is always installed (not gloo or
    PyTorch).
    """
    library = {"nccl": "nccl", "cuda_ipc": None}.get(base_of(transport), "mpi")
    return (*SCHEDULED[collective], *([library] if library is not None else []))


def _candidates(situation: Situation) -> tuple[str, ...]:
    names = candidates(situation.collective, situation.transport)
    if situation.base_transport == MPI_ON_GPUS and situation.key.arithmetic in HALVES:
        return tuple(name for name in names if name not in VENDORS)  # few MPI libraries can add these types
    return names


class Chooser:
    """Chooser based on one table. Each choice is computed once and then looked up."""

    def __init__(self, table: Table) -> None:
        self._measured, self._model = Measured(table), Model(table)
        self._choices: dict[tuple[Situation, int], Choice] = {}

    def choose(self, situation: Situation, size_bytes: int) -> Choice:
        """Return the algorithm for one call of ``size_bytes``, counted as in measurements."""
        place = situation, size_bytes
        if place not in self._choices:
            self._choices[place] = self._choose(*place)
        return self._choices[place]

    def likely(self, situation: Situation, size_bytes: int) -> list[str]:
        """Return the algorithms worth a trial: the fastest measured one, and the unmeasured ones, the likeliest first.

        It is empty if all were measured, or nothing is sent. Without a trial the measurements decide: the model alone
        would too often choose a slower algorithm.
        """
        names = _candidates(situation)
        if situation.ranks == 1 or not size_bytes:
            return []
        likely = self._model.likely(situation, size_bytes, names)
        measured = self._measured.fastest_first(situation, size_bytes, names)
        unknown = [name for name in likely if name not in measured]
        return [*measured[:1], *unknown] if unknown else []

    def contenders(self, situation: Situation, size_bytes: int) -> list[str]:
        """Return the algorithms that may be the fastest when the links change, the choice first.

        Over several nodes the next ones are the ring, and hierarchical, which sends least between nodes; then the
        measured ones, and the likely ones of the model. It is only the choice if nothing is sent.
        """
        names = _candidates(situation)
        found = [self.choose(situation, size_bytes).algorithm]
        if situation.ranks == 1 or not size_bytes:
            return found
        likely = self._model.likely(situation, size_bytes, names)
        if len(situation.ranks_of_nodes) > 1:
            found += [name for name in _BETWEEN_NODES if name in likely]
        found += self._measured.fastest_first(situation, size_bytes, names)
        return list(dict.fromkeys([*found, *likely]))

    def _choose(self, situation: Situation, size_bytes: int) -> Choice:
        names = _candidates(situation)
        if situation.ranks == 1 or not size_bytes:
            return Choice(names[0], "No data has to be sent.")
        measured = self._measured.choose(situation, size_bytes, names)
        return measured or self._model.choose(situation, size_bytes, names)

    def measured_us(self, situation: Situation, size_bytes: int, algorithm: str) -> float | None:
        """Return the time of one call as earlier jobs measured it; None if they did not."""
        return self._measured.time_us(situation, size_bytes, algorithm)

    def priced(self, situation: Situation, size_bytes: int, algorithm: str) -> Priced | None:
        """Return the model's time of one call; None if it cannot price the call: libraries other than MPI, libraries
        on GPUs, unusual core sharing.
        """
        return self._model.priced(situation, size_bytes, algorithm)
