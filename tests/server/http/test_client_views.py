"""The views of the command line, made from the OpenAPI document."""

import json

import pytest
from scripts.client_views import DOCUMENT, FOLDER, TableError, modules

COMMITTED = json.loads(DOCUMENT.read_text())


def test_the_committed_views_are_the_documents() -> None:
    committed = {path.name: path.read_text() for path in FOLDER.glob("[a-z]*.py")}
    assert committed == modules(COMMITTED), "run `npm run generate` in frontend/"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("Me: name rank", "No schema of the view Me has the field rank."),
        ("Us: name", "The document has no schema Us, which the view Us is made from."),
        ("Me: name role?!", "The view Me has a field that cannot be read: role?!"),
        ("Me name", "This line of the table is no view: Me name"),
    ],
)
def test_what_the_document_lacks_is_refused(line: str, sentence: str) -> None:
    with pytest.raises(TableError) as refused:
        modules(COMMITTED, f"[tokens]\n{line}")
    assert str(refused.value) == sentence


def test_fields_have_the_documents_types_and_the_tables_defaults() -> None:
    table = """
[jobs]
Delay = PlannedDelay: job_id name="nobody" from:before?
Plan = QueuePlan: delays?
    shares position=None
"""
    source = modules(COMMITTED, table)["jobs.py"]
    for line in (
        "job_id: int",
        'name: str = "nobody"',
        'before: datetime | None = Field(None, alias="from")',
        "delays: list[Delay] = []",
        "shares: list[dict[str, Any]]",
        "position: int | None = None",
    ):
        assert f"\n    {line}\n" in source
