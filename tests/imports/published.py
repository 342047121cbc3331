"""The published files beside this module, with what must be read from them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "foreign"


@dataclass(frozen=True)
class Published:
    """A file and its expected reading."""

    path: Path
    expected: dict[str, Any]

    @property
    def content(self) -> bytes:
        return self.path.read_bytes()


def published() -> list[Published]:
    """Return every file, in the order of their names."""
    found = []
    for path in sorted(FOLDER.rglob("*.expected.json")):
        name = path.name.removesuffix(".expected.json")
        (source,) = (one for one in path.parent.iterdir() if one.stem == name and one != path)
        found.append(Published(source, json.loads(path.read_text())))
    return found


def one(name: str) -> Published:
    """The file of this name."""
    (found,) = (file for file in published() if file.path.stem == name)
    return found
