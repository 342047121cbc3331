"""Errors of the engine, including lost and late ranks; each message is one sentence for people."""


class EngineError(Exception):
    """Something that the engine refuses or cannot go on with, in one sentence for people."""


class RefusedError(EngineError):
    """A library took a call for wrong before anything of it had started: no rank is out of step."""


class OutOfMemoryError(EngineError):
    """The buffers do not fit."""


class DifferenceError(EngineError):
    """Ranks that must be equal are not any more, so that the result is worth nothing; every rank raises it."""


class DivergedError(EngineError):
    """Training came to numbers that are not finite, and was to stop then."""


class StalledError(EngineError):
    """``rank`` waited in vain for ``peer``; ``where`` says in which step of a schedule, or in which call."""

    def __init__(self, rank: int, peer: int, where: str, timeout_seconds: float) -> None:
        super().__init__(
            f"Rank {rank} waited {timeout_seconds:g} s for rank {peer} in {where}; see whether rank {peer} still "
            "runs and makes the same calls, or raise timeout_seconds."
        )
        self.rank, self.peer, self.where = rank, peer, where


class LostRankError(StalledError):
    """The process of ``peer``, for which ``rank`` waited, has ended."""

    def __init__(self, rank: int, peer: int, where: str) -> None:
        EngineError.__init__(
            self,
            f"Rank {rank} lost rank {peer} in {where}: its process has ended; see what rank {peer} said last, "
            "and start all ranks again.",
        )
        self.rank, self.peer, self.where = rank, peer, where


class EarlyEndError(LostRankError):
    """The program of ``peer`` is over, while ``rank`` waits for it in a call."""

    def __init__(self, rank: int, peer: int, where: str) -> None:
        EngineError.__init__(
            self,
            f"Rank {rank} waits for rank {peer} in {where}, but rank {peer} has ended its program without an error and "
            "will not come; let every rank make the same calls.",
        )
        self.rank, self.peer, self.where = rank, peer, where
