"""Writing files so that a crash leaves the old or the new content, never half of it."""

from pathlib import Path


def replace_text(path: Path, text: str) -> None:
    """Write a file that only its owner may read. Raises OSError and then leaves the old content."""
    temporary = path.with_suffix(".new")
    try:
        temporary.unlink(missing_ok=True)
        temporary.touch(0o600)
        temporary.write_text(text)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
