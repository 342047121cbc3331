"""What a keeper takes in while the disk is full."""

import asyncio
import errno
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ringscope.contracts.protocol import Assignment
from ringscope.contracts.record import Log
from ringscope_agent.launch.intake import Intake
from ringscope_agent.paths import AttemptPaths
from ringscope_agent.telemetry.spool import SpoolWriter

FULL = "This node's disk is full, and records are lost; the job goes on."
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
    await asyncio.wait_for(intake.close(), 10)
    lines = (tmp_path / "records.jsonl").read_text().splitlines()
    assert [json.loads(line)["text"] for line in lines] == told
