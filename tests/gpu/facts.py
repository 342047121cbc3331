"""Print what the results of tests/gpu/run belong to: GPUs, driver and versions, and what is missing."""

import importlib
import sys


def main() -> int:
    """1 when something is missing."""
    missing = 0
    for name in ("numpy", "cupy", "mpi4py", "pydantic", "psutil", "ml_dtypes", "numkong", "typer", "pytest"):
        try:
            module = importlib.import_module(name)
        except ImportError as error:
            sys.stdout.write(f"{name}: missing ({error})\n")
            missing = 1
        else:
            sys.stdout.write(f"{name} {getattr(module, '__version__', '')}\n")
    cupy = sys.modules.get("cupy")
    if cupy is not None:
        runtime = cupy.cuda.runtime
        sys.stdout.write(f"CUDA driver {runtime.driverGetVersion()}, runtime {runtime.runtimeGetVersion()}\n")
        from cupy.cuda import nccl

        sys.stdout.write(f"NCCL {nccl.get_version() if nccl.available else 'missing'}\n")
        for index in range(runtime.getDeviceCount()):
            name = runtime.getDeviceProperties(index)["name"].decode()
            sys.stdout.write(f"GPU {index}: {name} at {runtime.deviceGetPCIBusId(index)}\n")
    return missing


if __name__ == "__main__":
    sys.exit(main())
