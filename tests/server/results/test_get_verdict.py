"""GET /jobs/{id}/verdict: the verdict on a part of the sizes."""

from typing import Any

from tests.server.conftest import ONE_SIZE, Server, measurement

KIB = 1024


async def verdict(server: Server, path: str) -> dict[str, Any]:
    answer = await server.admin.get(path)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_a_part_of_the_sizes_has_its_own_verdict(server: Server) -> None:
    agent = await server.node()
    sweep = {"algorithms": ["ring", "mpi"], "min_bytes": KIB, "max_bytes": 64 * KIB, "step_factor": 64}
    job = await server.submit(**(ONE_SIZE | {"benchmark": sweep}))
    attempt = await agent.start_next()
    times_us = {"ring": (40.0, 20.0), "mpi": (10.0, 60.0)}
    rows = [
        measurement(algorithm, size_bytes=size, time_us=time, time_low_us=0.99 * time, time_high_us=1.01 * time)
        for algorithm, times in times_us.items()
        for size, time in zip((KIB, 64 * KIB), times, strict=True)
    ]
    await agent.records(attempt, *rows)
    found = await verdict(server, f"/api/v1/jobs/{job['id']}/verdict?min_bytes=8192")
    assert (found["min_bytes"], found["max_bytes"]) == (64 * KIB, 64 * KIB)
    assert found["verdict"].startswith("At 64 KiB ring is 3 times as fast as mpi")
    assert found["explanation"]
    assert found["fastest"] == [{"size_bytes": 64 * KIB, "algorithms": ["ring"]}]
    whole = await verdict(server, f"/api/v1/jobs/{job['id']}/verdict")
    assert whole["verdict"].startswith("Fastest: mpi up to 1 KiB, ring above.")


async def test_a_part_without_a_row_has_no_verdict(server: Server) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE)
    assert await verdict(server, f"/api/v1/jobs/{job['id']}/verdict") == {
        "min_bytes": 0,
        "max_bytes": 0,
        "verdict": "",
        "explanation": "",
        "fastest": [],
    }


async def test_ends_in_the_wrong_order_are_refused(server: Server) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE)
    answer = await server.admin.get(f"/api/v1/jobs/{job['id']}/verdict?min_bytes=2&max_bytes=1")
    assert (answer.status_code, answer.json()["detail"]) == (422, "min_bytes: it is above max_bytes; choose less.")


async def test_a_job_that_does_not_exist_is_told(server: Server) -> None:
    answer = await server.admin.get("/api/v1/jobs/424242/verdict")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
