"""Actions after the import of a module, without importing it: they run when the script imports it, or never."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

Action = Callable[[ModuleType], None]


def after_import(actions: Mapping[str, Action]) -> None:
    """Run each action once its module is imported: now if that has happened, else at its import.

    An action must not raise.
    """
    waiting = {}
    for name, action in actions.items():
        module = sys.modules.get(name)
        if module is None:
            waiting[name] = action
        else:
            action(module)
    if waiting:
        sys.meta_path.insert(0, _Finder(waiting))


class _Finder(MetaPathFinder):
    """Finds the awaited modules through the other finders, and adds the action to their loading."""

    def __init__(self, actions: dict[str, Action]) -> None:
        self._actions = actions

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        action = self._actions.pop(fullname, None)
        if action is None:
            return None
        if not self._actions:
            sys.meta_path.remove(self)
        for finder in list(sys.meta_path):
            if finder is not self and (spec := finder.find_spec(fullname, path, target)) is not None:
                if hasattr(spec.loader, "exec_module"):
                    spec.loader = _ActingLoader(spec.loader, action)
                return spec
        return None


class _ActingLoader(Loader):
    """Loads as another loader does, whose place in the module it gives back, and then acts."""

    def __init__(self, loader: Any, action: Action) -> None:
        self._loader, self._action = loader, action

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self._loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._action(module)
