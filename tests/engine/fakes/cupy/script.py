"""The state of the fake CuPy: the calls that it records, and the behaviour that a test sets."""

import os
import threading


class Fake:
    """One per process; ``reset`` between tests."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.calls = []
        self.gpus = 1
        self.bus_ids = None  # of the GPUs that this process sees, where it does not see all
        self.device = 0  # the current one
        self.has_nccl = self.has_nvrtc = True
        self.nccl_version = int(os.environ.get("FAKE_NCCL_VERSION", 23007))  # of ranks in processes of their own
        self.nccl_lacks = set(os.environ.get("FAKE_NCCL_LACKS", "").split())  # functions that an older NCCL has not
        self.free_bytes = 1 << 40  # of GPU memory
        self.unregistered = False  # NCCL takes buffers without registering them, and calls that a success
        self.refused = {}  # name of an NCCL call -> status that it raises
        self.async_error = 0
        self.stuck_from = None  # what the stream does from this enqueued event on never ends
        self.blocks_in = None  # name of an NCCL call that does not return before ``goes_on``
        self.goes_on = threading.Event()
        self.inside = None  # the call that blocks
        self.events = 0
        self.uuids = None  # of the GPUs, where they are not by their number, as slices of one (MIG)
        self.compiler_fault = None  # the exception that ends the first launch of a kernel
        self.compiled = set()
        self.status = 0  # what CUDA answers to everything from now on; 700 is an illegal access
        self.is_lazy = False  # kernels and copies are done only when somebody waits for them, as on a GPU
        self.pending = []
        self.captured = None  # the work of the graph that is being captured

    def record(self, name, *arguments):
        self.calls.append((name, *arguments))

    def do(self, work):
        """``work`` answers False as long as it has to be called again."""
        if self.captured is not None:
            self.captured.append(work)
            return
        self.pending.append(work)
        if not self.is_lazy:
            self.advance()

    def now(self, work):
        """``work`` does not wait for a peer that is late: it is done at once, unless a graph is captured."""
        if self.captured is None:
            work()
        else:
            self.captured.append(work)

    def advance(self):
        """Do what can be done now."""
        while self.pending and self.pending[0]() is not False:
            self.pending.pop(0)

    def catch_up(self):
        """Wait until all is done."""
        self.advance()
        while self.pending:
            os.sched_yield()
            self.advance()

    def names(self):
        return [call[0] for call in self.calls]

    @property
    def is_stuck(self):
        return self.stuck_from is not None and self.events > self.stuck_from


fake = Fake()
