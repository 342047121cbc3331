"""cupy.cuda.memory: its error."""


class OutOfMemoryError(MemoryError):
    pass
