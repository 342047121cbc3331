"""deploy/kubernetes: valid by the published schemas, and every name in them exists."""

import json
from typing import Any

import kubernetes_validate
import pytest
from tests.deploy.recipes import last, pods, read_dockerfile, read_manifests

from ringscope.contracts.words.version import __version__
from ringscope_agent.settings import AgentSettings
from ringscope_server.http.routes import monitoring
from ringscope_server.settings import Settings

MANIFESTS = read_manifests()
PODS = pods(MANIFESTS)
STAGES = read_dockerfile()
VERSIONS = ("1.31", "1.34", kubernetes_validate.latest_version())


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", MANIFESTS)
def test_a_manifest_is_valid_by_the_published_schema(name: str, version: str) -> None:
    kubernetes_validate.validate(MANIFESTS[name], version, strict=True)


def test_the_schema_notices_a_misspelt_field() -> None:
    spoilt = json.loads(json.dumps(MANIFESTS["server.yaml Deployment"]))
    spoilt["spec"]["template"]["spec"]["containers"][0]["imagee"] = "x"
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(spoilt, VERSIONS[-1], strict=True)


def container(pod: str) -> dict[str, Any]:
    (only,) = PODS[pod]["containers"]
    found: dict[str, Any] = only
    return found


def target(pod: str) -> str:
    """The target of the Dockerfile whose image a pod runs."""
    image, _, version = container(pod)["image"].partition(":")
    assert version == __version__
    return str(image).removeprefix("ringscope-")


@pytest.mark.parametrize("pod", PODS)
def test_a_pod_runs_what_its_image_runs_as_the_same_user(pod: str) -> None:
    assert container(pod)["args"] == last(STAGES, target(pod), "CMD").words()
    assert "command" not in container(pod)
    security = PODS[pod]["securityContext"]
    assert f"{security['runAsUser']}:{security['runAsGroup']}" == last(STAGES, target(pod), "USER").value
    assert security["runAsNonRoot"]


@pytest.mark.parametrize("pod", PODS)
def test_every_variable_is_a_setting(pod: str) -> None:
    model = Settings if pod == "server" else AgentSettings
    names = {variable["name"] for variable in container(pod)["env"]}
    assert {name.removeprefix("RINGSCOPE_").lower() for name in names} <= model.model_fields.keys()
    assert PODS[pod]["enableServiceLinks"] is False


@pytest.mark.parametrize("pod", PODS)
def test_every_secret_is_in_the_example(pod: str) -> None:
    example = MANIFESTS["secret.yaml.example Secret"]
    for variable in container(pod)["env"]:
        reference = variable.get("valueFrom", {}).get("secretKeyRef")
        if reference and not reference.get("optional"):
            assert reference["name"] == example["metadata"]["name"]
            assert reference["key"] in example["stringData"]


@pytest.mark.parametrize("pod", PODS)
def test_the_volume_is_that_of_the_image(pod: str) -> None:
    mounts = {mount["name"]: mount["mountPath"] for mount in container(pod)["volumeMounts"]}
    assert mounts["data"] == last(STAGES, target(pod), "VOLUME").value


@pytest.mark.parametrize("pod", PODS)
def test_probes_ask_for_pages_that_exist_at_the_images_port(pod: str) -> None:
    (port,) = container(pod)["ports"]
    assert str(port["containerPort"]) == last(STAGES, target(pod), "EXPOSE").value
    probes = [probe["httpGet"] for name, probe in container(pod).items() if name.endswith("Probe")]
    assert len(probes) >= 2
    assert {probe["port"] for probe in probes} == {port["name"]}
    known = {route.path for route in monitoring.pages.routes} if pod == "server" else {"/metrics"}
    assert {probe["path"] for probe in probes} <= known


@pytest.mark.parametrize("pod", [pod for pod in PODS if pod != "server"])
def test_a_worker_reaches_the_server_and_is_reached(pod: str) -> None:
    values = {variable["name"]: variable.get("value") for variable in container(pod)["env"]}
    service = MANIFESTS["server.yaml Service"]
    assert values["RINGSCOPE_SERVER"] == f"http://{service['metadata']['name']}:{service['spec']['ports'][0]['port']}"
    (controller,) = (m for m in MANIFESTS.values() if m["kind"] == "StatefulSet" and m["metadata"]["name"] == pod)
    (headless,) = (m for m in MANIFESTS.values() if m["kind"] == "Service" and m["metadata"]["name"] == pod)
    assert controller["spec"]["serviceName"] == pod
    assert headless["spec"]["clusterIP"] == "None"
    labels = controller["spec"]["template"]["metadata"]["labels"]
    assert headless["spec"]["selector"] == controller["spec"]["selector"]["matchLabels"] == labels


def test_a_gpu_worker_has_a_slot_for_each_gpu() -> None:
    (slots,) = (variable["value"] for variable in container("gpu-workers")["env"] if "SLOTS" in variable["name"])
    assert int(slots) == container("gpu-workers")["resources"]["limits"]["nvidia.com/gpu"]
