"""JSON as other tools write it: with a comma after the last item, or with inf and nan as numbers. Pure."""

import json
import re
from typing import Any

# A string is kept as it is; outside of strings a comma before a bracket is removed, and numbers get names that Python
# reads.
_LOOSE = re.compile(
    r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])|(?<![\w.])([+-]?)(inf|infinity|nan)(?![\w.])', re.IGNORECASE | re.DOTALL
)
_NAMES = {"inf": "Infinity", "infinity": "Infinity", "nan": "NaN"}


def read_json(text: str) -> Any:
    """Return the document, strict or loose; ValueError says in a sentence where it is invalid."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply; no file of ours is.") from None
    except ValueError:
        pass
    try:
        return json.loads(_LOOSE.sub(_strict, text))
    except RecursionError:
        raise ValueError("it is nested too deeply; no file of ours is.") from None
    except json.JSONDecodeError as error:
        if not text.strip():
            raise ValueError("it is empty; give a file with JSON.") from None
        raise ValueError(
            f"it is not valid JSON at line {error.lineno}, column {error.colno}; correct it there."
        ) from None


def _strict(found: re.Match[str]) -> str:
    string, sign, name = found.groups()
    if string is not None:
        return str(string)
    if name is None:
        return ""
    return ("-" if sign == "-" and name.lower() != "nan" else "") + _NAMES[name.lower()]
