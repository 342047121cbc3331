"""Files that a crash leaves either old or new, never half-written."""

from pathlib import Path


def replace_text(path: Path, text: str) -> None:
    """Write a file that only its owner may read. Raises OSError, and then the old content stays."""
    temporary = path.with_suffix(".new")
    try:
        temporary.unlink(missing_ok=True)
        temporary.touch(0o600)
        temporary.write_text(text)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
