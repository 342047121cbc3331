"""``python -m ringscope_server.openapi`` prints the OpenAPI document, from which the TypeScript client is made."""

import json
import sys
from pathlib import Path

from ringscope_server.app import create_app, services_for
from ringscope_server.settings import Settings


def document() -> str:
    """The OpenAPI document as JSON, with a stable order and a final newline."""
    app = create_app(services_for(Settings(data_dir=Path("unused"))))
    return json.dumps(app.openapi(), indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    sys.stdout.write(document())
