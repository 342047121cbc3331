"""Functions of NCCL that CuPy has no names for, called on the library that CuPy has loaded."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from typing import Any

_FILE = "libnccl.so.2"
_POINTER, _SIZE, _NUMBER = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
# The C types of the arguments; each function returns NCCL's status.
_ARGUMENTS = {
    "ncclGetVersion": (ctypes.POINTER(_NUMBER),),
    "ncclMemAlloc": (ctypes.POINTER(_POINTER), _SIZE),
    "ncclMemFree": (_POINTER,),
    "ncclCommRegister": (_POINTER, _POINTER, _SIZE, ctypes.POINTER(_POINTER)),
    "ncclCommDeregister": (_POINTER, _POINTER),
    "ncclCommWindowRegister": (_POINTER, _POINTER, _SIZE, ctypes.POINTER(_POINTER), _NUMBER),
    "ncclCommWindowDeregister": (_POINTER, _POINTER),
    "ncclAlltoAll": (_POINTER, _POINTER, _SIZE, _NUMBER, _POINTER, _POINTER),
}


class NcclLibrary:
    """The loaded library; a function of a later version may be missing."""

    def __init__(self, nccl: Any) -> None:
        """``nccl`` is CuPy's module: its errors are raised, and a library of another version is not used."""
        self._error = nccl.NcclError
        self._functions: dict[str, Callable[..., int]] = {}
        try:
            library = ctypes.CDLL(_FILE, mode=os.RTLD_NOW | os.RTLD_NOLOAD)  # only what is loaded already
        except OSError:
            return
        for name, types in _ARGUMENTS.items():
            function: Any = getattr(library, name, None)
            if function is not None:
                function.argtypes, function.restype = types, _NUMBER
                self._functions[name] = function
        version = _NUMBER()
        if self._functions["ncclGetVersion"](ctypes.byref(version)) or version.value != nccl.get_version():
            self._functions.clear()  # two libraries are loaded, and this is not CuPy's

    def has(self, name: str) -> bool:
        """Return whether the library has the function."""
        return name in self._functions

    def address(self, name: str, *arguments: Any, last: Sequence[int] = ()) -> int:
        """Call a function that returns an address by a pointer, between ``arguments`` and ``last``."""
        found = _POINTER()
        self.call(name, *arguments, ctypes.byref(found), *last)
        return found.value or 0

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function that the library has; an address is a plain integer. Raises CuPy's error of the status."""
        status = self._functions[name](*arguments)
        if status:
            raise self._error(status)
