"""PyTorch's own analyser of Flight Recorder dumps, on the same dumps."""

import io
import logging
import pickle
import re
from collections.abc import Mapping
from typing import Any

_CULPRIT = re.compile(r"Culprit rank (\d+)")
_MISSING = re.compile(r"missing ranks: \{([\d, ]+)\}")
_NUMBER = re.compile(r"[Ss]equence number: (\d+)")
_LINE = re.compile(r"script\.py:(\d+)")


def told(dumps: Mapping[str, bytes], is_repaired: bool) -> tuple[set[int], int | None, set[int]] | str:
    """Return the ranks, the operation and the lines that its first finding names, or why it gives none.

    gloo's recorder leaves out the name of the group that it lists, which makes the analyser fail; ``is_repaired`` adds
    the name first.
    """
    from torch.distributed.flight_recorder.components import builder
    from torch.distributed.flight_recorder.components.config_manager import JobConfig

    details: dict[str, dict[str, Any]] = {}
    for name, content in dumps.items():
        dump = pickle.loads(content)  # our own ranks wrote it
        if is_repaired:
            dump["pg_config"] = {"0": {**dump["pg_config"][""], "name": "0", "desc": "default_pg"}}
        details[name] = {"rank": int(name[-1]), **{key: dump[key] for key in ("entries", "version", "pg_config")}}
    text = io.StringIO()
    logger = logging.getLogger("Flight Recorder")
    handlers, logger.handlers = logger.handlers, [logging.StreamHandler(text)]
    try:
        builder.build_db(details, JobConfig().parse_args(["-", "--allow-incomplete-ranks"]), "2.10")
    except Exception as error:
        return f"{type(error).__name__}"
    finally:
        logger.handlers = handlers
    return _first(text.getvalue())


def _first(text: str) -> tuple[set[int], int | None, set[int]] | str:
    if not text.strip():
        return "nothing"
    if not (numbers := _NUMBER.findall(text)):
        return "cannot decide"
    ranks = {int(rank) for rank in _CULPRIT.findall(text)}
    for found in _MISSING.findall(text):
        ranks |= {int(rank) for rank in found.split(",")}
    return ranks, int(numbers[0]), {int(line) for line in _LINE.findall(text)}
