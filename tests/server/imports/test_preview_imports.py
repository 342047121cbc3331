"""POST /imports/preview."""

from typing import Any

import pytest
from tests.expected.runs import HELD_OUT
from tests.imports.published import one
from tests.server.conftest import Server

from ringscope.imports.lines import MOST_BYTES

PATH = "/api/v1/imports/preview"


def file(name: str, content: str) -> dict[str, str]:
    return {"name": name, "content": content}


async def preview(server: Server, *files: dict[str, str], **facts: Any) -> list[dict[str, Any]]:
    response = await server.admin.post(PATH, json={"files": files, **facts})
    assert response.status_code == 200, response.text
    found: list[dict[str, Any]] = response.json()["files"]
    return found


async def test_files_are_read_checked_and_judged(server: Server) -> None:
    healthy = file("h100.log", (HELD_OUT / "h100_1_node.txt").read_text())
    crashed = file("crash.log", one("crash_devices_busy").content.decode())
    read, refused = await preview(server, healthy, crashed)
    (run,) = read["runs"]
    assert (read["path"], read["refused"], run["collective"], run["ranks"]) == ("h100.log", None, "all_reduce", 8)
    assert run["judgement"]["word"] == "as expected"
    assert {reference["kind"] for reference in run["judgement"]["references"]} == {"limit", "model", "published"}
    assert run["machine"]["gpu"] == "NVIDIA H100 80GB HBM3"
    assert run["rows"][0]["busbw_gb_per_s"] == 382.99
    assert refused["refused"].startswith("Line 14: the run crashed before its first row")


async def test_facts_complete_a_file(server: Server) -> None:
    content = file("a.log", (HELD_OUT / "h100_2_nodes_ib400.txt").read_text())
    (unknown,) = await preview(server, content)
    assert unknown["runs"][0]["judgement"]["word"] == "unknown"
    (known,) = await preview(server, content, gpu="H100", nodes=2, cards="8x400G")
    assert known["runs"][0]["judgement"]["word"] == "as expected"


@pytest.mark.parametrize(("field", "value"), [("gpu", "Voodoo"), ("cards", "many"), ("nodes", 0), ("files", [])])
async def test_a_fact_that_cannot_be_is_refused(server: Server, field: str, value: object) -> None:
    asked = {"files": [file("a", "x")], field: value}
    response = await server.admin.post(PATH, json=asked)
    assert response.status_code == 422
    assert response.json()["errors"][0]["pointer"].startswith(f"/{field}")


async def test_a_file_of_megabytes_is_read_and_a_larger_one_refused(server: Server) -> None:
    text = one("alltoall_then_sendrecv_double").content.decode()
    large = text + f"#{'x' * 4000}\n" * 750
    (read,) = await preview(server, file("large.log", large))
    assert len(read["runs"]) == 2
    response = await server.admin.post(PATH, json={"files": [file("huge", "#" * (MOST_BYTES + 1))]})
    assert response.status_code == 413
    assert "at most 8 MiB" in response.json()["detail"]


async def test_without_a_token_little_is_read(server: Server) -> None:
    response = await server.client().post(PATH, json={"files": [file("a", "#" * (1 << 20))]})
    assert response.status_code in (401, 413)
