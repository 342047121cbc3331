"""``python -m ringscope_server.openapi`` prints the OpenAPI document, from which the TypeScript client is made."""

import json
import sys

from ringscope_server.app import routes


def document() -> str:
    """The OpenAPI document as JSON, with a stable order and a final newline."""
    return json.dumps(routes(None).openapi(), indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    sys.stdout.write(document())
