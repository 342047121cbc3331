"""A job's specification from a file, from flags and from key=value words; the server validates it."""

import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from reprlib import Repr
from typing import Any

from ringscope.contracts.errors import UserError
from ringscope.contracts.loose_json import read_json
from ringscope.contracts.words.units import parse_size

_short = Repr()
_TEXTS = frozenset({"labels", "selector", "env"})  # their values are text, even if they look like numbers


def job_body(base: Mapping[str, Any], flags: Mapping[tuple[str, ...], Any]) -> dict[str, Any]:
    """Return the job to submit: ``base`` with every given flag set at its path; UserError if a parent is not an
    object.
    """
    body = json.loads(json.dumps(base))
    for (*parents, field), value in flags.items():
        if value is None:
            continue
        place = body
        for parent in parents:
            place[parent] = place.get(parent) or {}
            place = place[parent]
            if not isinstance(place, dict):
                raise UserError(
                    f"{parent}: the file has {_short.repr(place)} here; give an object, or no flags for it."
                )
        place[field] = value
    return dict(body)


def read_job(file: str) -> dict[str, Any]:
    """Return the JSON object in a file, - for stdin; UserError if there is none."""
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text()
        body = read_json(text)
    except OSError as error:
        raise UserError(f"{file} cannot be read ({error.strerror}); name a file with a job.") from error
    except ValueError as error:
        raise UserError(f"{file} does not contain a job: {error}") from error
    if not isinstance(body, dict):
        raise UserError(f'{file} does not contain a JSON object; a job looks like {{"kind": "benchmark", …}}.')
    return body


def pairs(flag: str, items: Sequence[str] | None) -> dict[str, str] | None:
    """Return key=value items as a mapping; None if there are none."""
    for item in items or ():
        if "=" not in item:
            raise UserError(f"{flag} {item}: this is not key=value; write for example {flag} team=infra.")
    return {key: value for key, _, value in (item.partition("=") for item in items)} if items else None


def variables(items: Sequence[str] | None, inherited: Mapping[str, str]) -> dict[str, str] | None:
    """Return the variables of a job, given as NAME=value, or as NAME with the value in this command's environment;
    None if there are none.
    """
    found = {}
    for item in items or ():
        name, equals, value = item.partition("=")
        if not equals and name not in inherited:
            raise UserError(f"--env {item}: this is not NAME=value, and no variable has this name here; give a value.")
        found[name] = value if equals else inherited[name]
    return found or None


def script_fields(words: str | None, folder: str | None, no_watch: bool = False) -> dict[tuple[str, ...], Any]:
    """Return the fields of a script that is written as a command: ``[-m] FILE ARGUMENTS``; none if it is None."""
    if words is None:
        return {("script", "folder"): folder, ("script", "no_watch"): no_watch or None}
    try:
        first, *rest = shlex.split(words) or [""]
    except ValueError as error:
        raise UserError(f"--script {words}: this cannot be read ({error}); close the quotation.") from error
    is_module = first == "-m"
    if is_module:
        first, *rest = rest or [""]
    if not first:
        raise UserError("--script: no file is named; write for example --script 'train.py --epochs 3'.")
    return {
        ("kind",): "script",
        ("script", "file"): first,
        ("script", "arguments"): rest,
        ("script", "as_module"): is_module or None,
        ("script", "folder"): folder,
        ("script", "no_watch"): no_watch or None,
    }


def own_function(word: str, field: str) -> dict[str, str] | None:
    """Return FILE.py:FUNCTION as an object, whose ``field`` is the function if one is given; None for other words."""
    file, _, function = word.partition(":")
    if not file.endswith(".py"):
        return None
    return {"file": file} | ({field: function} if function else {})


def label_changes(words: Sequence[str]) -> dict[str, str | None]:
    """Return labels to set (key=value) and to remove (key-, None), as kubectl writes them."""
    changes: dict[str, str | None] = {}
    for word in words:
        key, sign, value = word.partition("=")
        if not sign and not word.endswith("-"):
            raise UserError(f"{word}: this is not a label; write key=value, or key- to remove it.")
        changes[key if sign else word[:-1]] = value if sign else None
    return changes


def patch_of(assignments: Sequence[str] | None) -> dict[str, Any]:
    """Convert words such as placement.ranks=8 to a merge patch (RFC 7396); the value null removes a field."""
    patch: dict[str, Any] = {}
    for word in assignments or ():
        dotted, sign, text = word.partition("=")
        path = dotted.split(".")
        if not sign or not all(path):
            raise UserError(f"--set {word}: this is not field=value; write for example --set placement.ranks=8.")
        place = patch
        for parent in path[:-1]:
            place = place.setdefault(parent, {})
            if not isinstance(place, dict):
                raise UserError(f"--set {word}: {parent} is set both as a whole and in part; use one of the two.")
        place[path[-1]] = _value(word, path, text)
    return patch


def _value(word: str, path: Sequence[str], text: str) -> Any:
    """Parse a value as typed: sizes as 16M, algorithms separated by commas; otherwise JSON if valid, otherwise text."""
    field = path[-1]
    if text == "null":
        return None
    if field == "name" or not _TEXTS.isdisjoint(path[:-1]):
        return text
    if field.endswith("_bytes"):
        try:
            return parse_size(text)
        except ValueError as error:
            raise UserError(f"--set {word}: {error}") from error
    if field == "algorithms" and not text.startswith("["):
        return text.split(",")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
