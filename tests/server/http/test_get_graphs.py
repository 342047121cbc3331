"""GET /graphs: where Prometheus and Grafana are."""

import pytest
from pydantic import ValidationError
from tests.server.conftest import Server

from ringscope_server.settings import Settings


async def test_a_server_that_was_not_told_says_null(server: Server) -> None:
    answer = await server.admin.get("/api/v1/graphs")
    assert answer.json() == {"prometheus_url": None, "grafana_url": None}


async def test_viewers_are_told_what_the_server_was_told(server: Server) -> None:
    told = {"prometheus_url": "http://p:9090/", "grafana_url": "https://g.example.org/grafana"}
    settings = server.services.settings
    server.services.settings = Settings(data_dir=settings.data_dir, database_url=settings.database_url, **told)
    answer = await (await server.person("viewer")).get("/api/v1/graphs")
    assert answer.json() == {"prometheus_url": "http://p:9090", "grafana_url": "https://g.example.org/grafana"}


async def test_strangers_are_not(server: Server) -> None:
    assert (await server.client().get("/api/v1/graphs")).status_code == 401


@pytest.mark.parametrize("name", ["prometheus_url", "grafana_url"])
def test_what_is_no_link_is_refused(name: str) -> None:
    for wrong in ("javascript:alert(1)", "g.example.org"):
        with pytest.raises(ValidationError, match="http://"):
            Settings(**{name: wrong})
