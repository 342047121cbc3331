"""Labels: key-value pairs by which people find jobs and select nodes. Pure."""

from typing import Annotated

from pydantic import AfterValidator, Field

MOST_LABELS = 100
MOST_CHARACTERS = 200  # in a name or a value


def bounded(labels: dict[str, str]) -> dict[str, str]:
    """Return the labels if they are few and short. Raises ValueError with a sentence that says what to do."""
    if len(labels) > MOST_LABELS:
        raise ValueError(f"there are too many entries; give {MOST_LABELS} or fewer.")
    for name, value in labels.items():
        if max(len(name), len(value)) > MOST_CHARACTERS:
            shown = name if len(name) <= MOST_CHARACTERS else f"{name[:20]}…"
            raise ValueError(f"{shown!r} is too long; give names and values of {MOST_CHARACTERS} characters or fewer.")
    return labels


# Stored labels: an earlier version allowed more of them.
Labels = Annotated[dict[str, str], Field(json_schema_extra={"maxProperties": MOST_LABELS})]
# New labels, with limits on what a client sends.
NewLabels = Annotated[Labels, AfterValidator(bounded)]
