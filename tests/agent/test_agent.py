from collections.abc import Callable

from ringscope.protocol import Assignment
from ringscope.record import Done, Hello, Measurement, Steps
from ringscope_agent import process_group

from .conftest import AgentProcess
from .fake_server import FakeServer


async def test_a_job_runs_from_prepare_to_clean(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    await agent.start("--label", "rack=r1")
    job = assignment(ranks=2, algorithms=["ring", "mpi"])
    await server.assign(job)
    clean = await server.wait_for("clean", 7, seconds=25)
    ended = await server.wait_for("ended", 7)
    assert (ended.reason, ended.message) == ("completed", "")
    assert [r.event for r in server.reports] == ["ready", "proxies", "running", "ended", "clean"]
    records = server.parsed(7)
    assert clean.last_sequence == len(records)
    assert {r.rank for r in records if isinstance(r, Hello)} == {0, 1}
    assert {r.rank for r in records if isinstance(r, Steps)} == {0, 1}
    assert {r.rank for r in records if isinstance(r, Done)} == {0, 1}
    table = [r for r in records if isinstance(r, Measurement)]
    assert len(table) == job.spec.benchmark.measurement_count()
    assert {r.wrong for r in table} == {0}
    assert process_group.processes_of(job.token) == []
    assert server.registrations[0].labels == {"rack": "r1"}
    assert server.registrations[0].versions.keys() >= {"ringscope", "python", "mpi4py", "mpi", "numpy"}
