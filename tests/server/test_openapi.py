"""The OpenAPI document, and the TypeScript client made from it."""

import json
from pathlib import Path

from ringscope_server.openapi import document

COMMITTED = Path(__file__).parents[2] / "frontend" / "openapi.json"


def test_the_committed_document_is_the_servers() -> None:
    assert COMMITTED.read_text() == document(), "run `npm run generate` in frontend/"


def test_every_operation_has_an_id_and_a_summary() -> None:
    operations = [operation for path in json.loads(document())["paths"].values() for operation in path.values()]
    assert len(operations) > 15
    assert all(operation["operationId"] and operation["description"] for operation in operations)
    assert len({operation["operationId"] for operation in operations}) == len(operations)
