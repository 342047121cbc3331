"""A job's own environment variables: their limits, the names that a node takes, and what of them is shown. Pure."""

import re
from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from hashlib import sha256
from json import dumps
from typing import Annotated

from pydantic import AfterValidator, Field

from ringscope.contracts.words.secrets import is_secret, without_user

MOST_VARIABLES = 100
MOST_NAME_CHARACTERS = 200
MOST_VALUE_CHARACTERS = 4_096
REMOVED = "[removed]"  # replaces the value of a secret wherever a job is shown
# The names that a node takes unless its operator says otherwise: settings of the libraries that ranks use.
DEFAULT_PATTERNS = (
    "NCCL_*", "UCX_*", "FI_*", "MPIR_*", "MPICH_*", "OMP_*", "MKL_*", "OPENBLAS_*", "GLOO_*", "TORCH_*", "TF_*",
    "CUDA_*", "PYTORCH_*", "HF_*", "RINGSCOPE_USER_*",
)  # fmt: skip
DEFAULT = "default"  # among the patterns of an agent, this word stands for all of them
# These names decide which programs and libraries a process loads, so that a wildcard alone does not include them.
_NAMED_ONLY = ("LD_", "PYTHON", "PATH")
# These name a file or folder from which a library loads code, so that an operator must give each by its whole name.
LOADS_CODE = (
    "CUDA_HOME", "CUDA_INJECTION*_PATH", "CUDA_PATH", "FI_PROVIDER_PATH", "HF_MODULES_CACHE", "NCCL_*_PLUGIN",
    "NCCL_CONF_FILE", "NVTX_INJECTION*_PATH", "OMP_TOOL_LIBRARIES", "TORCH_EXTENSIONS_DIR", "UCX_CONFIG_DIR",
    "UCX_MODULE_DIR",
)  # fmt: skip
_OWN, _USERS = "RINGSCOPE_", "RINGSCOPE_USER_"  # the agent and the ranks use the names that begin with the first one
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _checked(variables: dict[str, str]) -> dict[str, str]:
    """Return the variables by name if they are few and short. Raises ValueError with the remedy, without a value."""
    if len(variables) > MOST_VARIABLES:
        raise ValueError(f"there are {len(variables)} variables; give {MOST_VARIABLES} or fewer.")
    for name, value in variables.items():
        shown = name if len(name) <= MOST_NAME_CHARACTERS else f"{name[:20]}…"
        if shown != name or not _NAME.fullmatch(name):
            raise ValueError(
                f"{shown!r} is no name of a variable; give at most {MOST_NAME_CHARACTERS} letters, digits, underscores."
            )
        if len(value) > MOST_VALUE_CHARACTERS:
            raise ValueError(f"the value of {name} is too long; give {MOST_VALUE_CHARACTERS} characters or fewer.")
        if "\0" in value:
            raise ValueError(f"the value of {name} has a character that no variable can have; leave it out.")
    return dict(sorted(variables.items()))


Variables = Annotated[
    dict[str, str], Field(json_schema_extra={"maxProperties": MOST_VARIABLES}), AfterValidator(_checked)
]


def takes(patterns: Collection[str], name: str) -> bool:
    """Return whether one of a node's patterns includes the name.

    The names of LD_*, PYTHON* and PATH need a pattern that itself begins like that, and those in LOADS_CODE one that is
    the name. No pattern includes the names that Ringscope uses.
    """
    if name.startswith(_OWN) and not name.startswith(_USERS):
        return False
    if any(fnmatchcase(name, loading) for loading in LOADS_CODE):
        return name in patterns
    guarded = next((start for start in _NAMED_ONLY if name.startswith(start)), "")
    return any(pattern.startswith(guarded) and fnmatchcase(name, pattern) for pattern in patterns)


def patterns_of(given: Sequence[str]) -> tuple[str, ...]:
    """Return an agent's patterns, in which the word ``default`` stands for the usual ones."""
    found = [one for pattern in given for one in (DEFAULT_PATTERNS if pattern == DEFAULT else (pattern,))]
    return tuple(dict.fromkeys(found))


def checked_patterns(given: Sequence[str]) -> tuple[str, ...]:
    """Return the patterns that are not empty; ValueError with a sentence for one that no name can match."""
    for pattern in given:
        if pattern and not re.fullmatch(r"[A-Za-z0-9_*?]{1,200}", pattern):
            raise ValueError(f"{pattern!r} is no pattern of a name; write for example NCCL_* or LD_LIBRARY_PATH.")
    return tuple(pattern for pattern in given if pattern)


def shown(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables as people see them: without secrets, by the rule for a node's environment."""
    return {name: REMOVED if is_secret(name, value) else without_user(value) for name, value in variables.items()}


def with_removed_from(variables: Mapping[str, str], earlier: Mapping[str, str]) -> dict[str, str]:
    """Return the variables with the earlier values of those that were sent back as they were shown."""
    seen = shown(earlier)
    return {
        name: earlier[name] if name in earlier and value == seen[name] else value for name, value in variables.items()
    }


def not_shown(variables: Mapping[str, str]) -> list[str]:
    """Return the names whose value is only the mark that replaces a secret."""
    return [name for name, value in variables.items() if value == REMOVED]


def digest(variables: Mapping[str, str]) -> str | None:
    """Return a digest that only equal environments have; None if there is no variable."""
    text = dumps(sorted(variables.items()))
    return sha256(text.encode()).hexdigest() if variables else None
