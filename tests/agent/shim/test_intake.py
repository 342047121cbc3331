"""A shim's intake counts records that a full disk loses, and replaces those that are too large to be sent."""

import asyncio
import errno
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ringscope.contracts.protocol import Assignment
from ringscope.contracts.record import RECORD, Log, Measurement
from ringscope_agent.paths import AttemptPaths
from ringscope_agent.shim import intake as intake_module
from ringscope_agent.shim.intake import Intake
from ringscope_agent.telemetry.spool import SpoolWriter

FULL = "This node's disk is full, and records are lost; the job goes on."
_TIMES = ("time_us", "min_us", "mean_us", "p50_us", "p95_us", "p99_us", "max_us", "stdev_us", "cv_percent")
ROW: dict[str, object] = {
    "type": "measurement",
    "collective": "all_reduce",
    "algorithm": "ring",
    "transport": "shared_memory",
    "in_place": False,
    "size_bytes": 8,
    "count": 2,
    "dtype": "float32",
    "op": "sum",
    "ranks": 2,
    "iterations": 1000,
    "algbw_gb_per_s": 1.0,
    "busbw_gb_per_s": 1.0,
    "wrong": 0,
    "time_ns": 1,
    **dict.fromkeys(_TIMES, 1.5),
}
LOST = "2 records were lost, because this node's disk was full."


@pytest.mark.parametrize(("later", "told"), [(1, ["line 3", FULL, LOST]), (0, [FULL, LOST])])
async def test_that_the_disk_was_full_is_told_before_what_was_lost(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    assignment: Callable[..., Assignment],
    later: int,
    told: list[str],
) -> None:
    intake = Intake(assignment(), AttemptPaths(folder=tmp_path, sockets=tmp_path), lambda: None, lambda: None)
    await intake.start()

    def no_room(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(SpoolWriter, "append", no_room)
        for number in (1, 2):
            intake.log(Log(rank=0, stream="stdout", time_ns=0, text=f"line {number}"))
    for number in range(3, 3 + later):
        intake.log(Log(rank=0, stream="stdout", time_ns=0, text=f"line {number}"))
    async with asyncio.timeout(10):
        await intake.close()
    lines = (tmp_path / "records.jsonl").read_text().splitlines()
    assert [json.loads(line)["text"] for line in lines] == told


async def say(folder: Path, assignment: Assignment, *records: dict[str, object]) -> Intake:
    """Send the ranks' records to an intake, close it, and return it."""
    paths = AttemptPaths(folder=folder, sockets=folder)
    intake = Intake(assignment, paths, lambda: None, lambda: None)
    await intake.start()
    _, writer = await asyncio.open_unix_connection(str(paths.ranks_socket))
    writer.writelines(json.dumps(record).encode() + b"\n" for record in records)
    writer.close()
    await writer.wait_closed()
    async with asyncio.timeout(30):
        await intake.close()
    return intake


async def test_of_a_row_the_time_of_each_iteration_stays_here(
    tmp_path: Path, assignment: Callable[..., Assignment]
) -> None:
    await say(tmp_path, assignment(), ROW | {"times_us": [1.5] * 1000})
    (line,) = (tmp_path / "records.jsonl").read_bytes().splitlines()
    assert RECORD.validate_json(line) == Measurement.model_validate(ROW)


async def test_in_place_of_a_record_that_no_server_takes_stands_that_there_was_one(
    tmp_path: Path, assignment: Callable[..., Assignment], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake_module, "MOST_RECORD_BYTES", 1000)
    line = {"type": "log", "rank": 1, "stream": "stdout", "time_ns": 0}
    intake = await say(tmp_path, assignment(), line | {"text": "x" * 1000}, line | {"text": "short"})
    told, last = map(json.loads, (tmp_path / "records.jsonl").read_text().splitlines())
    assert (told["rank"], last["text"], intake.dropped_records["refused"]) == (1, "short", 1)
    assert told["text"].startswith("A record (log) of 10") and told["text"].endswith("1000 bytes can be sent.")
