"""A site's own expected values: expected.toml in the data directory."""

from pathlib import Path

from ringscope.contracts.errors import UserError
from ringscope.expected.published import Source, parse, published

NAME = "expected.toml"


def sources(data_dir: Path) -> tuple[Source, ...]:
    """Return the published sources and the site's own; UserError if the site's file cannot be read."""
    path = data_dir.expanduser() / NAME
    return (*published(), *(_parsed(path, path.read_text(encoding="utf-8")) if path.is_file() else ()))


def add(data_dir: Path, file: Path) -> tuple[Source, ...]:
    """Add the sources of a file to the site's own, and return them; a source with a known id is refused."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"--add: {file} cannot be read ({error.strerror}); name a file with [[source]].") from None
    added = _parsed(file, text)
    path = data_dir.expanduser() / NAME
    before = path.read_text(encoding="utf-8") if path.is_file() else ""
    whole = f"{before.rstrip()}\n\n{text.strip()}\n" if before else f"{text.strip()}\n"
    _parsed(file, whole)
    taken = {one.id for one in published()} & {one.id for one in added}
    if taken:
        raise UserError(f"--add: {file}: the id {min(taken)} is that of a published source; choose another.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{NAME}.new")
        temporary.write_text(whole, encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        raise UserError(f"--add: {path} cannot be written ({error.strerror}); choose another --data-dir.") from None
    return added


def _parsed(path: Path, text: str) -> tuple[Source, ...]:
    try:
        return parse(text, site=True)
    except ValueError as error:
        raise UserError(f"{path}: {error}") from None
