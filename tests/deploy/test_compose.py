"""docker-compose.yml: valid by the published schema, and every name in it exists."""

import importlib.resources
import json
import re
from typing import Any

import jsonschema
import pytest
import yaml
from tests.deploy.recipes import (
    COMPOSE,
    ROOT,
    TARGETS,
    fill_in,
    last,
    read_compose,
    read_dockerfile,
    read_example_environment,
    variables_of,
)

from ringscope.contracts.words.version import __version__
from ringscope_agent.settings import AgentSettings
from ringscope_server.settings import Settings

COMPOSED = read_compose()
SERVICES: dict[str, dict[str, Any]] = COMPOSED["services"]
OURS = {name: service for name, service in SERVICES.items() if "build" in service}
FILLED = {name: value or f"{name.lower():x<40}" for name, value in read_example_environment().items()}
SCHEMA = importlib.resources.files("check_jsonschema") / "builtin_schemas" / "vendor" / "compose-spec.json"


def complaints(composed: dict[str, Any]) -> list[str]:
    """Return the errors that the Compose specification's own schema, which check-jsonschema ships, finds."""
    schema = json.loads(SCHEMA.read_text())
    return [error.message for error in jsonschema.validators.validator_for(schema)(schema).iter_errors(composed)]


def test_it_is_valid_by_the_published_schema() -> None:
    assert complaints(COMPOSED) == []
    assert complaints(COMPOSED | {"services": {"server": {"imagee": "x"}}}), "the schema would find a misspelt word"


def test_images_have_a_version_and_ours_have_that_of_the_project() -> None:
    for name, service in SERVICES.items():
        assert re.fullmatch(r"[\w./-]+:v?\d[\w.]*", service["image"]), service["image"]
        if name in OURS:
            assert service["image"] == f"ringscope-{service['build']['target']}:{__version__}"


def test_it_builds_targets_of_the_dockerfile() -> None:
    assert {service["build"]["target"] for service in OURS.values()} == set(TARGETS)
    for service in OURS.values():
        assert (ROOT / service["build"]["context"] / service["build"]["dockerfile"]).is_file()


def test_services_run_what_the_images_run() -> None:
    """Only Prometheus has a command of its own, so the tests need only the Dockerfile's commands and these checks."""
    assert not any({"command", "entrypoint"} & service.keys() for service in OURS.values())
    others = {name for name, service in SERVICES.items() if {"command", "entrypoint"} & service.keys()}
    assert others == {"prometheus"}, "tests/monitoring/test_prometheus.py tries its flags"
    assert [name for name, service in SERVICES.items() if "healthcheck" in service] == ["postgres"]


@pytest.mark.parametrize("name", OURS)
def test_every_variable_is_a_setting_with_a_good_value(name: str) -> None:
    model = Settings if name == "server" else AgentSettings
    environment: dict[str, str] = fill_in(SERVICES[name]["environment"], FILLED)
    fields = {variable.removeprefix("RINGSCOPE_").lower() for variable in environment}
    assert all(variable.startswith("RINGSCOPE_") for variable in environment)
    assert fields <= model.model_fields.keys()
    read = {field: environment[f"RINGSCOPE_{field.upper()}"] for field in fields}
    labels = {field: json.loads(value) for field, value in read.items() if field == "labels"}
    model.model_validate(read | labels)


def test_the_example_environment_has_every_variable_and_the_secrets_are_required() -> None:
    example = read_example_environment()
    assert variables_of(COMPOSE.read_text()) == example.keys()
    for name, value in example.items():
        missing = FILLED | {name: ""}
        if value:
            fill_in(COMPOSED, missing)
        else:
            with pytest.raises(KeyError, match=rf"{name}: set it in \.env"):
                fill_in(COMPOSED, missing)


def test_what_has_a_volume_keeps_its_data_there() -> None:
    stages = read_dockerfile()
    for service in OURS.values():
        (volume,) = service["volumes"]
        source, target = volume.split(":")
        assert source in COMPOSED["volumes"]
        assert target == last(stages, service["build"]["target"], "VOLUME").value
    sources = [volume.split(":")[0] for service in SERVICES.values() for volume in service.get("volumes", [])]
    named = [source for source in sources if not source.startswith("./")]
    assert sorted(named) == sorted(COMPOSED["volumes"]), "one volume for each, and each is used"
    assert all((ROOT / source).exists() for source in sources if source.startswith("./"))


def test_nothing_is_published_beyond_this_machine() -> None:
    ports = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_a_worker_has_the_name_under_which_the_others_find_it() -> None:
    workers = {name: service for name, service in OURS.items() if name != "server"}
    assert len(workers) == 3
    for name, service in workers.items():
        assert service["hostname"] == name
        assert "RINGSCOPE_ADDRESS" not in service["environment"], "its host's name is what Compose resolves"


def test_prometheus_is_set_up_as_without_containers() -> None:
    folder = ROOT / "deploy" / "prometheus"
    inside = (folder / "containers.yml").read_text()
    (secret,) = SERVICES["prometheus"]["secrets"]
    for there, here in (("server:8000", "127.0.0.1:8000"), (f"/run/secrets/{secret}", "admin-token")):
        assert there in inside
        inside = inside.replace(there, here)
    config = yaml.safe_load(inside)
    assert config == yaml.safe_load((folder / "prometheus.yml").read_text())
    mounted = dict(volume.split(":")[:2] for volume in SERVICES["prometheus"]["volumes"])
    for path in ("containers.yml", "rules"):
        assert mounted[f"./deploy/prometheus/{path}"].startswith("/etc/prometheus/")
    assert config["rule_files"] == ["rules/*.yml"], "beside the configuration, as mounted"
