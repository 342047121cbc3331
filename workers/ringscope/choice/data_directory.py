"""The directory of the SQLite file, tokens, logs and the table of measured times."""

from pathlib import Path

DEFAULT_DATA_DIR = Path("~/.local/share/ringscope")
