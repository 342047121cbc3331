"""cupy.cuda.nvrtc, which looks for its library only when it is called, and then has a loader's error."""

from cupy.script import fake


class DynamicLibNotFoundError(RuntimeError):
    pass


def getVersion():  # noqa: N802 (CuPy's name)
    if not fake.has_nvrtc:
        raise DynamicLibNotFoundError('Failure finding "libnvrtc.so.12":\n No such file: libnvrtc.so.12\n')
    return 12, 9
