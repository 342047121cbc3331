"""/metrics, read back."""

from prometheus_client.parser import text_string_to_metric_families
from tests.server.conftest import FakeAgent, Server

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


async def samples(server: Server) -> Samples:
    """Return every sample of the page."""
    page = (await server.admin.get("/metrics")).text
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(page)
        for sample in family.samples
    }


def key(name: str, /, **labels: str) -> tuple[str, frozenset[tuple[str, str]]]:
    return f"ringscope_{name}", frozenset(labels.items())


async def run_sweep(server: Server, agent: FakeAgent, records: list[dict[str, object]], **spec: object) -> int:
    """A job from its submission to its good end."""
    job = await server.submit(**spec)
    attempt = await agent.start_next()
    agent.sequence = 0
    await agent.records(attempt, *records)
    await agent.report(attempt, "ended", reason="completed")
    await agent.report(attempt, "clean", last_sequence=len(records))
    assert (await server.job(job["id"]))["state"] == "succeeded"
    return int(job["id"])
