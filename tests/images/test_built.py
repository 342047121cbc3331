"""`make images`: an image for each role, below a size, of a user without rights, and with a list of what is in it."""

import json
from typing import Any

import pytest
from scripts.images import MOST_MB
from tests.deploy.recipes import last, read_dockerfile
from tests.images.conftest import Built
from tests.images.podman import Podman

from ringscope.contracts.words.version import __version__

pytestmark = pytest.mark.long

TARGETS = ("server", "worker")
STAGES = read_dockerfile()


def inspected(podman: Podman, target: str) -> dict[str, Any]:
    (found,) = json.loads(podman.run("image", "inspect", f"ringscope-{target}:{__version__}"))
    return dict(found)


@pytest.mark.parametrize("target", TARGETS)
def test_an_image_is_no_larger_than_was_stated(podman: Podman, built: Built, target: str) -> None:
    size_mb = inspected(podman, target)["Size"] // 10**6
    assert 0.8 * MOST_MB[target] < size_mb <= MOST_MB[target], "lower the limit if the image has become much smaller"
    assert f"ringscope-{target}:{__version__} has {size_mb} MB (at most {MOST_MB[target]})" in built.said


@pytest.mark.parametrize("target", TARGETS)
def test_an_image_has_the_user_the_volume_and_the_health_check_of_the_dockerfile(
    podman: Podman, built: Built, target: str
) -> None:
    config = inspected(podman, target)["Config"]
    assert config["User"] == last(STAGES, target, "USER").value
    assert [*config["Volumes"]] == [last(STAGES, target, "VOLUME").value]
    check = inspected(podman, target).get("Healthcheck") or inspected(podman, target)["HealthCheck"]
    assert check["Test"][:2] == ["CMD", "python"], "the format of OCI would have lost it"


@pytest.mark.parametrize("target", TARGETS)
def test_the_list_has_every_package_of_the_image(podman: Podman, built: Built, target: str) -> None:
    listing = json.loads((built.lists / f"ringscope-{target}-{__version__}.cdx.json").read_text())
    purls = {one["purl"].partition("@")[0] for one in listing["components"]}
    own = {"server": "pkg:pypi/psycopg", "worker": "pkg:pypi/mpi4py"}
    other = {"server": "pkg:pypi/mpi4py", "worker": "pkg:pypi/psycopg"}
    assert purls >= {"pkg:pypi/ringscope", "pkg:pypi/fastapi", "pkg:deb/debian/libc6", own[target]}
    assert other[target] not in purls and "pkg:pypi/torch" not in purls
    entry = ("--rm", "--network", "none", "--entrypoint")
    installed = podman.run("run", *entry, "dpkg-query", f"ringscope-{target}:{__version__}", "-W")
    assert len(installed.splitlines()) == sum(purl.startswith("pkg:deb") for purl in purls)


def test_the_images_have_no_node_and_no_sources(podman: Podman, built: Built) -> None:
    for target in TARGETS:
        image = f"ringscope-{target}:{__version__}"
        found = podman.run(
            "run", "--rm", "--network", "none", "--entrypoint", "sh", image, "-c", "command -v node; ls /"
        )
        assert "node" not in found and "src" not in found.split() and "wheels" not in found.split()
