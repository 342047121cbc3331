import hashlib

from mpi4py import MPI

from cupy.cuda import memory

available = True
NCCL_SUM, NCCL_FLOAT32 = 0, 7


def get_unique_id():
    return hashlib.sha512(b"rank 0 made this").digest() * 2


class NcclCommunicator:
    def __init__(self, ndev, comm_id, rank):
        assert memory.device is not None, "choose the device first"
        assert len(comm_id) == 128
        assert len(set(MPI.COMM_WORLD.allgather(comm_id))) == 1, "every rank needs the same id"
        assert (ndev, rank) == (MPI.COMM_WORLD.size, MPI.COMM_WORLD.rank)

    def allReduce(self, send, recv, count, dtype, op, stream):  # noqa: N802 (CuPy's name)
        assert (dtype, op, stream) == (NCCL_FLOAT32, NCCL_SUM, 0)
        source, target = memory.arrays[send], memory.arrays[recv]
        assert source.size == target.size == count
        memory.pending.append(lambda: MPI.COMM_WORLD.Allreduce(source, target))

    def destroy(self):
        assert not memory.pending, "destroyed while its work is running"
