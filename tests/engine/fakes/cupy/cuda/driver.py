"""cupy.cuda.driver: its error, by which a kernel tells that it cannot be launched."""


class CUDADriverError(RuntimeError):
    def __init__(self, status):
        self.status = status
        super().__init__(f"CUDA_ERROR_{status}")
