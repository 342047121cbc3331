"""The table of measured times on disk: what `ringscope tune` writes and ``auto`` reads."""

import os
import tempfile
from pathlib import Path

from pydantic import ValidationError

from ringscope.contracts.errors import UserError
from ringscope.contracts.rank_process import TUNING_VARIABLE
from ringscope.contracts.tuning import Table

NAME = "tuning.json"
DEFAULT_DATA_DIR = Path("~/.local/share/ringscope")


def path_in(data_dir: Path) -> Path:
    """Return the path of the table in a data directory."""
    return data_dir.expanduser() / NAME


def default_path() -> Path:
    """The file that RINGSCOPE_TUNING names, else the one in the data directory."""
    named = os.environ.get(TUNING_VARIABLE)
    return Path(named) if named else path_in(Path(os.environ.get("RINGSCOPE_DATA_DIR") or DEFAULT_DATA_DIR))


def read(path: Path) -> Table:
    """The table in the file; an empty one where there is no file. UserError when it cannot be read or understood."""
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
    """Replace the file, so that a crash or a reader meets the old table or the new one. UserError when it cannot be."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # the data directory, perhaps
        with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=NAME, delete=False) as file:
            file.write(table.model_dump_json())
        Path(file.name).replace(path)
    except OSError as error:
        raise UserError(f"{path} cannot be written ({error.strerror}); choose another --data-dir.") from error
