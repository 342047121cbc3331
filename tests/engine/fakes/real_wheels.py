"""Run with the real CuPy and NCCL on the path and no driver: JSON of what they have, for test_real_wheels.py."""

import ast
import importlib
import inspect
import json
import re
import sys
import warnings
from functools import reduce
from pathlib import Path

ENGINE = Path(sys.argv[1])
# A chain of attributes in the engine ends in one of these, whatever it hangs on: load().cuda.runtime.X, self._nccl.X.
PLACES = {
    r"cuda\.runtime\.(\w+)": "cupy.cuda.runtime",
    r"^runtime\.(\w+)": "cupy.cuda.runtime",
    r"cuda\.driver\.(\w+)": "cupy.cuda.driver",
    r"cuda\.memory\.(\w+)": "cupy.cuda.memory",
    r"cuda\.nvrtc\.(\w+)": "cupy.cuda.nvrtc",
    r"_nccl\.(\w+)": "cupy.cuda.nccl",
    r"^nccl\.(\w+)": "cupy.cuda.nccl",
    r"(?:cupy|load\(\)|_cuda)\.(?:cuda\.)?(Stream|Event|Device|\w*Memory\w*|get_\w+)\b": "cupy.cuda",
    r"(?:^cupy|^self\._cupy|_xp|module_of\(\w+\))\.(\w+)": "cupy",
}
MODULES = ("cupy", "cupy.cuda", "cupy.cuda.runtime", "cupy.cuda.driver", "cupy.cuda.nccl", "cupy.cuda.nvrtc")


def found(path):
    """The module of this name, which may be an attribute only: cupy.cuda.driver lies elsewhere."""
    return reduce(getattr, path.split(".")[1:], importlib.import_module("cupy"))


def used():
    """Module and name of all that the engine takes from CuPy."""
    for path in sorted(ENGINE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute):
                chain = ast.unparse(node)
                for place, module in PLACES.items():
                    if (hit := re.search(place, chain)) and hit[1] not in ("cuda", "runtime", "memory"):
                        yield module, hit[1]


def arguments(function):
    """Least and most positional arguments, by its signature or else by Cython's first line."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
        if any(one.kind is one.VAR_POSITIONAL for one in parameters):
            return 0, 99
        names = [(one.name, one.default is not one.empty) for one in parameters if one.kind is not one.KEYWORD_ONLY]
    except (TypeError, ValueError):
        line = (function.__doc__ or "").strip().partition("\n")[0]
        inside = re.search(r"\((.*)\)", line)
        if inside is None:
            return None
        parts = [part.strip() for part in re.split(r",(?![^\[(]*[\])])", inside[1]) if part.strip()]
        names = [(re.split(r"[ *]", part.partition("=")[0].strip())[-1], "=" in part) for part in parts]
    names = [one for one in names if one[0] != "self"]
    return sum(not has_default for _, has_default in names), len(names)


def signatures():
    """Each function and method of those modules that has a readable signature."""
    for name in MODULES:
        module = found(name)
        for member in dir(module):
            if member.startswith("_"):
                continue
            thing = getattr(module, member)
            if inspect.isclass(thing):
                for method in dir(thing):
                    if not method.startswith("_") and callable(getattr(thing, method)):
                        yield f"{name}.{member}.{method}", arguments(getattr(thing, method))
            elif inspect.isroutine(thing):
                yield f"{name}.{member}", arguments(thing)


def main():
    warnings.simplefilter("ignore")
    from cupy.cuda import nccl

    names = sorted({*used()})
    missing = [f"{module}.{name}" for module, name in names if not hasattr(found(module), name)]
    told = {"used": len(names), "missing": missing, "signatures": dict(signatures())}
    told["numbers"] = {name: getattr(nccl, name) for name in dir(nccl) if re.fullmatch(r"NCCL_[A-Z0-9]+", name)}
    if "--fake" not in sys.argv:
        unique_id = nccl.get_unique_id()
        told["nccl"] = {"version": nccl.get_version(), "id": len(unique_id)}
        from ringscope.engine.vendors import nccl_library

        library = nccl_library.NcclLibrary(nccl)
        told["nccl"]["lacking"] = [name for name in nccl_library._ARGUMENTS if not library.has(name)]
        try:
            nccl.NcclCommunicator(1, unique_id, 0)
        except nccl.NcclError as error:
            told["nccl"]["join"] = str(error)
        from ringscope.engine.errors import EngineError
        from ringscope.engine.memory import cuda

        try:
            cuda.load()
        except EngineError as error:
            told["no_driver"] = str(error)
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
