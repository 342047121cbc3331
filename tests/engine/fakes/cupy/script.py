"""What the fake writes down, and what a test lets it do."""


class Fake:
    """One per process; ``reset`` between tests."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.calls = []
        self.gpus = 1
        self.nccl_version = 23007
        self.network = None  # under mpiexec an MPI communicator, over which NCCL's messages travel
        self.refused = {}  # name of an NCCL call -> status that it raises
        self.async_error = 0
        self.stuck_from = None  # what the stream does from this enqueued event on never ends
        self.blocks_in = None  # name of an NCCL call that returns only when the communicator is aborted
        self.events = 0
        self.is_lazy = False  # kernels and copies are done only when somebody waits for them, as on a GPU
        self.pending = []

    def record(self, name, *arguments):
        self.calls.append((name, *arguments))

    def do(self, work):
        self.pending.append(work)
        if not self.is_lazy:
            self.catch_up()

    def catch_up(self):
        while self.pending:
            self.pending.pop(0)()

    def names(self):
        return [call[0] for call in self.calls]

    @property
    def is_stuck(self):
        return self.stuck_from is not None and self.events > self.stuck_from


fake = Fake()
