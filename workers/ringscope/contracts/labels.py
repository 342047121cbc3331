"""Labels: words by which people find jobs and say which nodes they want. Pure."""

from typing import Annotated

from pydantic import AfterValidator, Field

MOST_LABELS = 100
MOST_CHARACTERS = 200  # of a name or a value


def _short(labels: dict[str, str]) -> dict[str, str]:
    for name, value in labels.items():
        if max(len(name), len(value)) > MOST_CHARACTERS:
            shown = name if len(name) <= MOST_CHARACTERS else f"{name[:20]}…"
            raise ValueError(f"{shown!r} is too long; give names and values of {MOST_CHARACTERS} characters or fewer.")
    return labels


Labels = Annotated[dict[str, str], Field(max_length=MOST_LABELS), AfterValidator(_short)]
