"""Errors of the engine, including lost and late ranks; each message is one sentence for users."""


class EngineError(Exception):
    """An error that the engine reports in one sentence for users."""


class RefusedError(EngineError):
    """A library rejected a call before any part of it had started: no rank is out of step."""


class OutOfMemoryError(EngineError):
    """The buffers do not fit."""


class DifferenceError(EngineError):
    """Ranks that must be equal have diverged, so the result is invalid; every rank raises it.

    ``bad_rank`` is the rank that is wrong, if that is known.
    """

    def __init__(self, message: str, bad_rank: int | None = None) -> None:
        super().__init__(message)
        self.bad_rank = bad_rank


class UnfitNodeError(EngineError):
    """This rank's node was found slow before the program began."""


class DivergedError(EngineError):
    """Training produced numbers that are not finite, and is configured to stop then."""


class StalledError(EngineError):
    """``rank`` waited in vain for ``peer``; ``where`` says in which step of a schedule, or in which call."""

    def __init__(self, rank: int, peer: int, where: str, timeout_seconds: float) -> None:
        super().__init__(
            f"Rank {rank} waited {timeout_seconds:g} s for rank {peer} in {where}; check whether rank {peer} still "
            "runs and makes the same calls, or raise timeout_seconds."
        )
        self.rank, self.peer, self.where = rank, peer, where


class LostRankError(StalledError):
    """The process of ``peer``, for which ``rank`` waited, has ended."""

    def __init__(self, rank: int, peer: int, where: str) -> None:
        EngineError.__init__(
            self,
            f"Rank {rank} lost rank {peer} in {where}: its process has ended; see the last output of rank {peer}, and "
            "start all ranks again.",
        )
        self.rank, self.peer, self.where = rank, peer, where


class LostConnectionError(EngineError):
    """A library of ``rank`` lost a connection; the rank at its other end, whose process may have ended, is unknown."""

    def __init__(self, rank: int, where: str, text: str) -> None:
        super().__init__(
            f"Rank {rank} lost its connection to another rank in {where} ({text}); see the last output of "
            "the other ranks, and start all ranks again."
        )


class EarlyEndError(LostRankError):
    """The program of ``peer`` has ended, while ``rank`` waits for it in a call."""

    def __init__(self, rank: int, peer: int, where: str) -> None:
        EngineError.__init__(
            self,
            f"Rank {rank} waits for rank {peer} in {where}, but rank {peer} has ended its program without an "
            "error; make the same calls on every rank.",
        )
        self.rank, self.peer, self.where = rank, peer, where
