"""A file of the Flight Recorder as a dump: JSON or a pickle of plain data, of either of PyTorch's recorders. Pure."""

import json
import re
from math import isfinite
from pathlib import PurePath
from typing import Any

from ringscope.hangs.model import Dump, Frame, Group, Operation, Sizes
from ringscope.hangs.plain_pickle import NotPlainError, is_pickle, load

MOST_BYTES = 256 * 1024 * 1024
_MOST_FRAMES = 200
_MOST_TEXT = 1000
_NUMBER = re.compile(r"[0-9]{1,9}")
_P2P = re.compile(r"(send|recv) ([0-9]{1,9})(->|<-)([0-9]{1,9})")
_EMPTY = (
    "the dump has no operation; PyTorch records them only with TORCH_FR_BUFFER_SIZE=2000 (in older "
    "versions TORCH_NCCL_TRACE_BUFFER_SIZE) in the environment of every rank."
)


class RefusedError(ValueError):
    """The file is no dump that can be used; the message is the rest of a sentence that begins with the path."""


def sniff(content: bytes) -> bool:
    """Return whether a content is a pickle, or text with the part that every dump has."""
    return is_pickle(content) or b'"pg_config"' in content


def read_dump(path: str, content: bytes) -> Dump:
    """Return a rank's dump; RefusedError says in one sentence why there is none."""
    value = _value(content)
    if not isinstance(value, dict) or not isinstance(value.get("entries", []), list) or "pg_config" not in value:
        raise RefusedError(
            "this is no dump of the Flight Recorder: it has no entries and pg_config; give the files that PyTorch "
            "wrote at the timeout, or what torch._C._distributed_c10d._dump_fr_trace returned."
        )
    rank = _rank(path, value)
    operations = [one for entry in value.get("entries", []) if (one := _operation(entry)) is not None]
    if not operations:
        raise RefusedError(_EMPTY)
    operations.sort(key=lambda one: one.record)
    version = value.get("version")
    return Dump(rank, path, version[:40] if isinstance(version, str) else "", operations, _groups(value))


def _value(content: bytes) -> Any:
    if len(content) > MOST_BYTES:
        raise RefusedError("the file has more than 256 MiB; set TORCH_FR_BUFFER_SIZE to a smaller number.")
    if not content.strip():
        raise RefusedError("the file is empty; the rank may have ended before it wrote its dump.")
    if is_pickle(content):
        try:
            return load(content)
        except NotPlainError as error:
            raise RefusedError(
                f"the pickle was not loaded, because {error}; give a dump as PyTorch wrote it."
            ) from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RefusedError("this is neither JSON nor a pickle; give a dump as PyTorch wrote it.") from None
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise RefusedError(_no_json(text, error)) from None
    except (ValueError, RecursionError):
        raise RefusedError("this JSON is nested or has numbers beyond any dump; give it as PyTorch wrote it.") from None


def _no_json(text: str, error: json.JSONDecodeError) -> str:
    rest = text[error.pos : error.pos + 3]
    if not text[error.pos :].strip():
        return f"line {error.lineno}: the JSON ends too early; copy the whole file."
    what = {"(": "a Python tuple begins here", ".": "an ellipsis is here"}.get(rest[:1], f"{error.msg.lower()} here")
    return f"line {error.lineno}: this is not JSON ({what}); give a dump as PyTorch wrote it, not as it was printed."


def _rank(path: str, value: dict[str, Any]) -> int:
    """Return the rank that the dump or else its path tells; PyTorch writes it into the name only."""
    told = _whole(value.get("rank"))
    if told is not None:
        return told
    pure = PurePath(path)
    for name in (pure.name if not pure.suffix[1:].isalpha() else pure.stem, pure.parent.name):
        numbers = _NUMBER.findall(name)
        if numbers:
            return int(numbers[-1])
    raise RefusedError("the name of the file has no rank, and the dump has none either; end the name with it: dump_3.")


def _operation(entry: Any) -> Operation | None:
    """Return an entry; None for one that has no name, group or number."""
    if not isinstance(entry, dict):
        return None
    name, group = entry.get("profiling_name"), entry.get("process_group")
    record = _whole(entry.get("record_id", entry.get("id")))
    if not isinstance(name, str) or record is None:
        return None
    is_p2p = entry.get("is_p2p") is True
    seq = _whole(entry.get("p2p_seq_id" if is_p2p else "collective_seq_id", entry.get("seq_id")))
    if seq is None:
        return None
    names = [text[:_MOST_TEXT] for text in group if isinstance(text, str)] if isinstance(group, list | tuple) else []
    state = entry.get("state")
    return Operation(
        record=record,
        group=names[0] if names else str(_whole(entry.get("pg_id")) or 0),
        name=name.split(":", 1)[-1][:_MOST_TEXT],
        seq=seq,
        state=state[:40] if isinstance(state, str) else "",
        is_p2p=is_p2p,
        peer=_peer(name),
        input_sizes=_sizes(entry.get("input_sizes")),
        output_sizes=_sizes(entry.get("output_sizes")),
        input_dtypes=_texts(entry.get("input_dtypes")),
        output_dtypes=_texts(entry.get("output_dtypes")),
        created_ns=_whole(entry.get("time_created_ns")),
        frames=_frames(entry.get("frames")),
        description=names[1] if len(names) > 1 and names[1] != "undefined" else "",
        retired=entry.get("retired") is True,
        library=name.partition(":")[0][:40] if ":" in name else "",
    )


def _peer(name: str) -> tuple[int, int] | None:
    if not (found := _P2P.search(name)):
        return None
    first, second = int(found[2]), int(found[4])
    return (first, second) if found[3] == "->" else (second, first)


def _groups(value: dict[str, Any]) -> dict[str, Group]:
    told = value.get("pg_config")
    if not isinstance(told, dict):
        return {}
    groups = {}
    for key, config in told.items():
        if isinstance(config, dict):
            name, description = config.get("name", key), config.get("desc", "")
            name = str(name)[:_MOST_TEXT]
            groups[name] = Group(name, str(description)[:_MOST_TEXT], _members(config.get("ranks")))
    return groups


def _members(told: Any) -> tuple[int, ...]:
    """Return the global ranks of a group, which are a text in most versions."""
    if isinstance(told, str):
        return tuple(int(number) for number in _NUMBER.findall(told))
    if isinstance(told, list | tuple):
        return tuple(rank for one in told if (rank := _whole(one)) is not None)
    return ()


def _frames(told: Any) -> tuple[Frame, ...]:
    if not isinstance(told, list | tuple):
        return ()
    frames = []
    for one in told[:_MOST_FRAMES]:
        if isinstance(one, dict):
            path, function = one.get("filename"), one.get("name")
            line = _whole(one.get("line"))
            if isinstance(path, str) and line is not None:
                frames.append(Frame(path[:_MOST_TEXT], line, str(function)[:_MOST_TEXT]))
    return tuple(frames)


def _sizes(told: Any) -> Sizes:
    if not isinstance(told, list | tuple):
        return ()
    shapes = [one for one in told if isinstance(one, list | tuple)]
    return tuple(tuple(number for one in shape if (number := _whole(one)) is not None) for shape in shapes)


def _texts(told: Any) -> tuple[str, ...]:
    return tuple(str(one)[:40] for one in told) if isinstance(told, list | tuple) else ()


def _whole(told: Any) -> int | None:
    """Return a whole number, also one that is told as text or as 4.0."""
    if isinstance(told, bool):
        return None
    if isinstance(told, int):
        return told
    if isinstance(told, float):
        return int(told) if isfinite(told) and told == int(told) else None
    if isinstance(told, str) and re.fullmatch(r"-?[0-9]{1,20}", told):
        return int(told)
    return None
