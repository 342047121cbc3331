"""The table of measured times on disk: what `ringscope tune` writes and ``auto`` reads."""

import os
import tempfile
from pathlib import Path

from pydantic import ValidationError

from ringscope.choice.data_directory import DEFAULT_DATA_DIR
from ringscope.contracts.errors import UserError
from ringscope.contracts.rank_process import TUNING_VARIABLE
from ringscope.contracts.tuning import Table

NAME = "tuning.json"


def path_in(data_dir: Path) -> Path:
    """Return the path of the table in a data directory."""
    return data_dir.expanduser() / NAME


def default_path() -> Path:
    """Return the file named in RINGSCOPE_TUNING, else the one in the data directory."""
    named = os.environ.get(TUNING_VARIABLE)
    return Path(named) if named else path_in(Path(os.environ.get("RINGSCOPE_DATA_DIR") or DEFAULT_DATA_DIR))


def read(path: Path) -> Table:
    """Return the table in the file; an empty one if there is no file. UserError if it cannot be read or parsed."""
    try:
        return Table.model_validate_json(path.read_bytes()).told_crowds()
    except FileNotFoundError:
        return Table()
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror}); make it readable, or remove it.") from error
    except ValidationError as error:
        raise UserError(
            f"{path} is damaged or of another version; remove it and run `ringscope tune` again."
        ) from error


def write(path: Path, table: Table) -> None:
    """Replace the file atomically: a reader, also after a crash, finds the old table or the new one. UserError if
    that fails.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # this may create the data directory
        with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=NAME, delete=False) as file:
            file.write(table.model_dump_json())
        Path(file.name).replace(path)
    except OSError as error:
        raise UserError(f"{path} cannot be written ({error.strerror}); choose another --data-dir.") from error
