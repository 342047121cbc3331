"""A rank program that misbehaves as RINGSCOPE_FAULT says, told apart by what the agent must make of it."""

import ctypes
import json
import os
import signal
import socket
import sys
import threading
import time

rank = int(os.environ["PMI_RANK"])
drill = os.environ["RINGSCOPE_FAULT"]
ctypes.CDLL(None).prctl(1, signal.SIGKILL)

if drill in ("exit", "segfault"):
    from mpi4py import MPI  # noqa: F401 - Hydra takes a rank that never called MPI_Init for any program

if drill == "mute" and rank == 1:
    sys.stderr.write("ModuleNotFoundError: No module named 'engine'\n")
    sys.exit(1)

relay = socket.socket(socket.AF_UNIX)
relay.connect(os.environ["RINGSCOPE_SOCKET"])


def send(**record: object) -> None:
    relay.sendall(json.dumps(record).encode() + b"\n")


send(type="hello", rank=rank, local_rank=rank, ranks=2, pid=os.getpid(), host="h", time_ns=time.time_ns())
names = sorted(name for name in os.environ if name.startswith("RINGSCOPE_"))
sys.stdout.write(f"environment {' '.join(names)}\n")
sys.stdout.flush()
if rank == 1:
    if drill == "exit":
        os._exit(5)
    if drill == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    if drill == "tell":
        send(type="failure", rank=1, reason="oom", message="Rank 1 has no memory for 64 GiB.")
        os._exit(1)
    if drill == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.fork() == 0:
            os.setsid()
            if os.fork() != 0:
                os._exit(0)
            send(type="log", rank=1, stream="agent", time_ns=0, text=f"grandchild {os.getpid()}")
            threading.Event().wait()
    if drill == "torn":
        relay.sendall(b'{"type":"done","ra')
        os._exit(0)
threading.Event().wait()
