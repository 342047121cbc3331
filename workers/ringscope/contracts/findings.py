"""Bad input as sentences: pydantic's findings, each with the name of its field and the remedy. Pure."""

from collections.abc import Sequence
from itertools import islice
from reprlib import Repr
from typing import Any

from pydantic import BaseModel, ValidationError

MAX_SENTENCE = 1_000  # characters
MAX_FINDINGS = 100
_short = Repr()
_short.maxstring = _short.maxother = 80
_short.maxlevel = 2


class FieldError(BaseModel):
    """One thing wrong with the input: where (a JSON pointer) and a sentence with the remedy."""

    pointer: str
    detail: str


def field_errors(error: ValidationError) -> list[FieldError]:
    """Convert pydantic's findings to sentences that name the field and the remedy."""
    return request_field_errors(error.errors(), skip=0)


def request_field_errors(errors: Sequence[Any], skip: int = 1) -> list[FieldError]:
    """Convert FastAPI's request errors likewise, whose location starts with ``skip`` parts such as "body"."""
    found = [(tuple(e["loc"])[skip:], e["type"], e["msg"], e.get("ctx") or {}, e.get("input")) for e in errors]
    # A wrong element makes pydantic also complain about the list around it: keep the inner finding only.
    inner = {location[:-1] for location, *_ in found if location and isinstance(location[-1], int)}
    told = islice((finding for finding in found if finding[0] not in inner), MAX_FINDINGS)
    return [_field_error(*finding) for finding in told]


def pointer(location: tuple[str | int, ...]) -> str:
    """Return a JSON pointer (RFC 6901) for a location such as ("benchmark", "algorithms", 0)."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in location)


def dotted(location: tuple[str | int, ...]) -> str:
    """Write a location as people write it: benchmark.algorithms[0]."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return text.removeprefix(".") or "the request body"


def _field_error(
    location: tuple[str | int, ...], kind: str, message: str, context: dict[str, Any], value: object
) -> FieldError:
    name = dotted(location)
    last = next((part for part in reversed(location) if isinstance(part, str)), "")
    match kind:
        case "literal_error":
            noun = "algorithm" if "algorithms" in location else last.replace("_", " ")
            choices = context["expected"].replace("'", "").replace(" or ", ", ")
            sentence = f"{name}: unknown {noun} {_shown(value)}; choose one of {choices}."
        case "extra_forbidden":
            sentence = f"{name}: there is no such field; remove it or correct its name."
        case "missing":
            sentence = f"{name}: this field is required; add it."
        case "greater_than_equal":
            sentence = f"{name}: {_shown(value)} is too small; give {context['ge']} or more."
        case "less_than_equal":
            sentence = f"{name}: {_shown(value)} is too large; give {context['le']} or less."
        case "greater_than":
            sentence = f"{name}: {_shown(value)} is too small; give more than {context['gt']:g}."
        case "string_too_short" | "too_short" if isinstance(value, str):
            sentence = f"{name}: the text is too short; give {_characters(context['min_length'])} or more."
        case "string_too_long" | "too_long" if isinstance(value, str):
            sentence = f"{name}: the text is too long; give {_characters(context['max_length'])} or fewer."
        case "too_short":
            sentence = f"{name}: the list is empty; name at least {context['min_length']}."
        case "too_long":
            sentence = f"{name}: there are too many entries; give {context['max_length']} or fewer."
        case "value_error":
            sentence = f"{name}: {context['error']}"
        case "field_sentence":
            sentence = f"{name}: {message}"
        case "json_invalid":
            sentence = _not_json(location, str(context.get("error", message)))
            location = ()
        case "invalid_key":
            sentence = f"{name}: the name of a field must be a string; put it in quotes."
        case _ if kind in _WANTED:
            sentence = f"{name}: give {_WANTED[kind]}; got {_shown(value)}."
        case _:
            text = message[:1].lower() + message[1:]
            sentence = f"{name}: {text}; got {_shown(value)}." if not isinstance(value, dict) else f"{name}: {text}."
    return FieldError(pointer=pointer(location), detail=_shortened(sentence))


# The values to give instead of a value of another type, by pydantic's name of the fault.
_WANTED = {
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float", "int_parsing_size"), "a whole number"),
    **dict.fromkeys(("float_type", "float_parsing", "finite_number"), "a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    "string_type": "a text in quotes",
    **dict.fromkeys(("list_type", "tuple_type", "set_type", "frozen_set_type"), "a list, such as []"),
    **dict.fromkeys(("model_type", "model_attributes_type", "dict_type"), "an object with fields by name, such as {}"),
    **dict.fromkeys(
        ("datetime_type", "datetime_parsing", "datetime_from_date_parsing", "datetime_object_invalid"),
        "a time such as 2026-01-31T12:00:00Z",
    ),
    "timezone_aware": "a time with its time zone, such as 2026-01-31T12:00:00Z",
}

# Explanations of the messages of Python's parser.
_JSON_FAULTS = {
    "Expecting property name": "a name in double quotes is missing; quote names so, with no comma after the last item",
    "Illegal trailing comma": "a comma stands after the last item; leave it out",
    "Expecting value": "a value is missing; leave out comments, and commas after the last item",
    "Expecting ',' delimiter": "a comma or a closing bracket is missing; add it",
    "Expecting ':' delimiter": "a colon is missing after a name; add it",
    "Unterminated string": "a text has no closing quote; add it",
    "Invalid control character": "a text holds a line break, a tab or the like; write it as \\n, \\t or \\u000b",
    "Invalid \\": "a backslash begins no escape of JSON; write a backslash itself as two",
    "Extra data": "more follows after the end of the value; send one value",
}


def _not_json(location: tuple[str | int, ...], said: str) -> str:
    place = f" at character {location[0] + 1}" if location and isinstance(location[0], int) else ""
    fault = next((words for start, words in _JSON_FAULTS.items() if said.startswith(start)), said)
    return f"The request body is not valid JSON{place}: {fault}."


def _characters(count: int) -> str:
    return f"{count} character{'' if count == 1 else 's'}"


def _shown(value: object) -> str:
    """Show a value in a sentence, as JSON: whole if it is short, else its beginning and end."""
    words = {None: "null", True: "true", False: "false"}
    return words[value] if value is None or isinstance(value, bool) else _short.repr(value)


def _shortened(sentence: str) -> str:
    """Shorten a sentence that repeats very long input."""
    return sentence if len(sentence) <= MAX_SENTENCE else f"{sentence[:MAX_SENTENCE]}…"
