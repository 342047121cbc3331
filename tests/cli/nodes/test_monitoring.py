"""The files for Prometheus and Grafana on the command line."""

from tests.cli.fake_api import Answer, FakeApi, items


def test_the_files_are_listed_and_one_is_printed(api: FakeApi) -> None:
    file = {"name": "prometheus.yml", "kind": "configuration", "description": "Scrapes this server."}
    api.answers |= {
        "GET /monitoring/files": items(file),
        "GET /monitoring/files/prometheus.yml": Answer("scrape_configs: []\n"),
    }
    heading, line = api.run("monitoring").out.splitlines()
    assert heading.split() == ["FILE", "KIND", "CONTENT"]
    assert line.split(maxsplit=2) == ["prometheus.yml", "configuration", "Scrapes this server."]
    assert api.run("monitoring", "prometheus.yml").out == "scrape_configs: []\n"
    refused = api.run("monitoring", "prometheus.yml", "--json")
    assert (refused.code, refused.err) == (2, "--json: FILE is printed as it is; leave one of the two out.\n")
