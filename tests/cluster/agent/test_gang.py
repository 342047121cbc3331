"""A gang of two nodes: two agents on two loopback addresses, and a test that hands messages between them."""

import os
import re
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from tests.agent.conftest import eventually
from tests.agent.fake_server import FakeServer
from tests.cluster.agent.conftest import AgentProcess

from ringscope.contracts.protocol import Assignment, GangMember, Proxy
from ringscope.contracts.record import Done, Hello, Log
from ringscope_agent import process_group


class Node:
    """One agent with a server of its own."""

    def __init__(self, name: str, address: str, data_dir: Path) -> None:
        self.server = FakeServer()
        self.server.auto = False
        self.agent = AgentProcess(self.server, data_dir)
        self.flags = ("--name", name, "--address", address)
        self.member = GangMember(node=name, address=address, slots=2)


@pytest.fixture
async def nodes(tmp_path: Path) -> AsyncIterator[list[Node]]:
    nodes = [Node("a", "127.0.0.1", tmp_path / "a"), Node("b", "127.0.0.2", tmp_path / "b")]
    for node in nodes:
        await node.server.start()
    yield nodes
    for node in nodes:
        await node.agent.close()
        await node.server.stop()


async def launch(nodes: list[Node], job: Assignment, **environment: str) -> None:
    each = job.ranks // len(nodes)
    gang = [node.member.model_copy(update={"slots": each}) for node in nodes]
    for index, node in enumerate(nodes):
        await node.agent.start(*node.flags, **environment)
        share = {"gang": gang, "member": index, "first_rank": each * index}
        await node.server.assign(job.model_copy(update=share))
    for node in nodes:
        await node.server.wait_for("ready", 7)
    for node in nodes:
        await node.server.update(7, desired="launch")
    proxies: list[Proxy] = (await nodes[0].server.wait_for("proxies", 7)).proxies
    assert [proxy.proxy_id for proxy in proxies] == [0, 1]
    for node, proxy in zip(nodes, proxies, strict=True):
        await node.server.update(7, proxy=proxy)
    for node in nodes:
        await node.server.wait_for("running", 7)


def logs(node: Node) -> list[str]:
    """Return what the node's ranks and launcher printed, for a failing test; it is complete once the node is clean."""
    return [record.text for record in node.server.parsed(7) if isinstance(record, Log)]


async def stop(nodes: list[Node]) -> None:
    for node in nodes:
        await node.server.update(7, desired="stop")
    for node in nodes:
        await node.server.wait_for("clean", 7)


@pytest.mark.long  # the gate has how such a gang ends otherwise, below
async def test_a_gang_of_two_nodes_completes_on_both(nodes: list[Node], assignment: Callable[..., Assignment]) -> None:
    await launch(nodes, assignment(ranks=2, algorithms=["ring"], transport="mpi"))
    for index, node in enumerate(nodes):
        ended = await node.server.wait_for("ended", 7)
        if ended.reason != "completed":
            await stop(nodes)
            pytest.fail("\n".join([ended.message, *logs(nodes[0]), "the other node:", *logs(nodes[1])]))
        local = {index}
        await node.server.wait_until(
            lambda node=node, local=local: {r.rank for r in node.server.parsed(7) if isinstance(r, Done)} == local
        )
        assert {r.rank for r in node.server.parsed(7) if isinstance(r, Hello)} == local
    await stop(nodes)


@pytest.mark.parametrize("is_told_to_stop", [False, pytest.param(True, marks=pytest.mark.long)])
async def test_a_rank_killed_on_the_second_node_is_named_by_both_and_nothing_survives(
    nodes: list[Node], assignment: Callable[..., Assignment], is_told_to_stop: bool
) -> None:
    job = assignment(ranks=4, algorithms=["ring"], transport="mpi", iterations=1_000_000)
    await launch(nodes, job)

    def victims() -> list[int]:
        return [r.pid for r in nodes[1].server.parsed(7) if isinstance(r, Hello) and r.rank == 3]

    await nodes[1].server.wait_until(victims)
    os.kill(victims()[0], signal.SIGKILL)
    first = await nodes[0].server.wait_for("ended", 7)
    # Hydra kills rank 2 then, which looks the same where there was time for both: which one went first is for node b to
    # tell, and the server takes its word. A rank that misses one of them may or may not say so before it is ended too.
    assert first.reason == "rank_signal"
    assert re.match(r"(Rank 3|Ranks 2 and 3) on node b (was|were) killed by SIGKILL \(9\)\.", first.message)
    if is_told_to_stop:  # by a server that has heard the first node
        await nodes[1].server.update(7, desired="stop")
    second = await nodes[1].server.wait_for("ended", 7)
    assert (second.reason, second.message) == (
        "rank_exit",
        "Rank 3 on node b ended before it had finished its program.",
    )
    await stop(nodes)
    await eventually(lambda: not process_group.processes_of(job.token))


@pytest.mark.long
@pytest.mark.parametrize("which", [0, 1])
async def test_a_gang_outlives_the_agent_of_either_node(
    nodes: list[Node], assignment: Callable[..., Assignment], which: int
) -> None:
    job = assignment(ranks=4, algorithms=["ring"], transport="mpi", iterations=1_000_000)
    await launch(nodes, job)
    before = {process.pid for process in process_group.processes_of(job.token)}
    node = nodes[which]
    node.agent.signal(signal.SIGKILL)
    await node.agent.ended()
    await node.agent.start(*node.flags)
    await node.server.wait_until(lambda: len([r for r in node.server.reports if r.event == "running"]) == 2)
    assert {process.pid for process in process_group.processes_of(job.token)} == before
    await stop(nodes)
    assert not any(report.event == "ended" for node in nodes for report in node.server.reports)
    assert process_group.processes_of(job.token) == []
