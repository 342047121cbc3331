"""The container files, read into values: stages of the Dockerfile, services of Compose, manifests of Kubernetes."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from dockerfile_parse import DockerfileParser

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "deploy" / "docker" / "Dockerfile"
COMPOSE = ROOT / "docker-compose.yml"
KUBERNETES = ROOT / "deploy" / "kubernetes"
TARGETS = ("server", "worker", "worker-cuda")

# ${NAME}, ${NAME:-default} and ${NAME:?what to do}, as Compose knows them
_VARIABLE = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")


class Instruction(NamedTuple):
    """A line of the Dockerfile, continuations joined."""

    word: str
    value: str

    def words(self) -> list[str]:
        """The value in exec form. Raises ValueError for a shell's line."""
        found = json.loads(self.value)
        if not isinstance(found, list):
            raise ValueError(self.value)
        return found


@dataclass(frozen=True)
class Stage:
    """The instructions from one FROM to the next; ``base`` is an image or another stage."""

    name: str
    base: str
    instructions: list[Instruction] = field(default_factory=list)


def read_dockerfile() -> dict[str, Stage]:
    """Stages by name, in their order."""
    stages: dict[str, Stage] = {}
    with DOCKERFILE.open("rb") as file:
        structure = DockerfileParser(fileobj=file).structure
    for line in structure:
        word, value = line["instruction"], line["value"]
        if word == "FROM":
            base, _, name = value.partition(" AS ")
            stages[name] = stage = Stage(name, base)
        elif word != "COMMENT":
            stage.instructions.append(Instruction(word, value))
    return stages


def lineage(stages: Mapping[str, Stage], name: str) -> Iterator[Stage]:
    """The stage and those that it is built on, the first one first."""
    stage = stages[name]
    if stage.base in stages:
        yield from lineage(stages, stage.base)
    yield stage


def last(stages: Mapping[str, Stage], name: str, word: str) -> Instruction:
    """Return the instruction that holds in the image that a stage makes, such as its ENTRYPOINT."""
    return [found for stage in lineage(stages, name) for found in stage.instructions if found.word == word][-1]


def commands_of(stages: Mapping[str, Stage], target: str) -> set[str]:
    """Return every RUN that a target needs, as the Dockerfile has it."""
    found, waiting, seen = set[str](), [target], set[str]()
    while waiting:
        for stage in lineage(stages, waiting.pop()):
            for line in stage.instructions if stage.name not in seen else ():
                if line.word == "RUN":
                    found.add(line.value)
                elif line.value.startswith("--from="):
                    waiting.append(line.value.split()[0].removeprefix("--from="))
            seen.add(stage.name)
    return found


def health_command(stages: Mapping[str, Stage], name: str) -> list[str]:
    """The HEALTHCHECK of an image, without its options."""
    _, _, command = last(stages, name, "HEALTHCHECK").value.partition("CMD ")
    return Instruction("CMD", command).words()


def read_compose() -> dict[str, Any]:
    """The compose file with its anchors resolved and its variables as they stand."""
    found: dict[str, Any] = yaml.safe_load(COMPOSE.read_text())
    return found


def fill_in(value: Any, variables: Mapping[str, str]) -> Any:
    """Fill these variables into a value as Compose does. Raises KeyError for a required one that is missing."""
    if isinstance(value, dict):
        return {name: fill_in(inner, variables) for name, inner in value.items()}
    if isinstance(value, list):
        return [fill_in(inner, variables) for inner in value]

    def replace(match: re.Match[str]) -> str:
        name, sign, more = match.groups()
        given = variables.get(name, "")
        if not given and sign == "?":
            raise KeyError(f"{name}: {more}")
        return given or more or ""

    return _VARIABLE.sub(replace, value) if isinstance(value, str) else value


def variables_of(text: str) -> set[str]:
    """The variables that a compose file asks for."""
    return {match[1] for match in _VARIABLE.finditer(text)}


def read_example_environment() -> dict[str, str]:
    """Return the variables of .env.example and their values, which are empty if the operator must choose one."""
    lines = (ROOT / ".env.example").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def read_manifests() -> dict[str, dict[str, Any]]:
    """Return every Kubernetes document, by file and kind."""
    found = {}
    for path in sorted(KUBERNETES.rglob("*.yaml*")):
        for document in yaml.safe_load_all(path.read_text()):
            found[f"{path.relative_to(KUBERNETES)} {document['kind']}"] = document
    return found


def pods(manifests: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The specifications of pods among the manifests, by name of their controller."""
    controllers = [document for document in manifests.values() if "template" in document.get("spec", {})]
    return {document["metadata"]["name"]: document["spec"]["template"]["spec"] for document in controllers}
