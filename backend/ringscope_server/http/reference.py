"""The page /docs: every operation of the API, generated from the OpenAPI document, without files to load."""

import json
from collections import defaultdict
from functools import cache
from html import escape
from typing import Any

from fastapi import FastAPI
from fastapi.responses import HTMLResponse

REFERENCE = "#/components/schemas/"
TITLE = "Ringscope's REST API"
STYLE = """:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
code, pre { font: .875rem/1.5 ui-monospace, monospace } pre { overflow-x: auto }
summary { cursor: pointer; padding: .25rem 0 } summary span { opacity: .75 }
td, th { text-align: left; vertical-align: top; padding: .125rem 1rem .125rem 0 }"""


def install(app: FastAPI) -> None:
    """Serve the page, which is generated at the first request."""

    @cache
    def made() -> str:
        return page(app.openapi())

    @app.get("/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        return HTMLResponse(made())


def page(document: dict[str, Any]) -> str:
    """Return the OpenAPI document as a page for people."""
    operations: dict[str, list[str]] = defaultdict(list)
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            whole = _resolved(operation, document["components"])
            operations[operation.get("tags", ["other"])[0]].append(_operation(method.upper(), path, whole))
    parts = [f"<h2 id='{escape(tag)}'>{escape(tag)}</h2>\n{''.join(found)}" for tag, found in operations.items()]
    schemas = document["components"]["schemas"]
    shapes = "".join(
        f"<details id='{escape(name)}'><summary><code>{escape(name)}</code></summary>{_json(schema)}</details>\n"
        for name, schema in sorted(schemas.items())
    )
    return f"""<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{TITLE}</title><style>{STYLE}</style>
<h1>{TITLE} {escape(document["info"]["version"])}</h1>
<p>{escape(document["info"]["description"])} Programs read <a href="openapi.json">/openapi.json</a>.
Send a token as <code>Authorization: Bearer rs_…</code>; <code>ringscope token create</code> makes one.</p>
{"".join(parts)}
<h2 id="schemas">schemas</h2>
{shapes}</html>"""


def _resolved(operation: dict[str, Any], components: dict[str, Any]) -> dict[str, Any]:
    """Return the operation with the answers and parameters that it shares with others."""

    def found(item: dict[str, Any]) -> dict[str, Any]:
        if "$ref" not in item:
            return item
        *_, kind, name = item["$ref"].split("/")
        shared: dict[str, Any] = components[kind][name]
        return shared

    answers = {status: found(answer) for status, answer in operation["responses"].items()}
    parameters = [found(parameter) for parameter in operation.get("parameters", ())]
    return {**operation, "responses": answers, "parameters": parameters}


def _operation(method: str, path: str, operation: dict[str, Any]) -> str:
    told = operation.get("description", "")
    rows = [
        (f"<code>{escape(found['name'])}</code>", f"{found['in']}{', required' if found.get('required') else ''}",
         _type(found.get("schema", {})), escape(found.get("description", "")))
        for found in operation.get("parameters", [])
    ]  # fmt: skip
    rows += [("body", "", _type(_schema(operation["requestBody"])), "")] if "requestBody" in operation else []
    rows += [
        (f"<code>{status}</code>", "answer", _type(_schema(answer)), escape(answer.get("description", "")))
        for status, answer in operation["responses"].items()
    ]
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return (
        f"<details id='{escape(operation['operationId'])}'><summary><code>{method} {escape(path)}</code> "
        f"<span>{escape(told.partition(chr(10))[0])}</span></summary>"
        f"<p>{escape(told)}</p><table>{cells}</table></details>\n"
    )


def _schema(content: dict[str, Any]) -> dict[str, Any]:
    first: dict[str, Any] = next(iter(content.get("content", {}).values()), {})
    return first.get("schema") or {}


def _type(schema: dict[str, Any]) -> str:
    """Return a schema in few words; named schemas are further down on the page."""
    if "$ref" in schema:
        name = escape(schema["$ref"].removeprefix(REFERENCE))
        return f"<a href='#{name}'>{name}</a>"
    for union in ("anyOf", "oneOf", "allOf"):
        if union in schema:
            return " or ".join(_type(each) for each in schema[union])
    if schema.get("type") == "array":
        return f"array of {_type(schema.get('items', {}))}"
    if "enum" in schema:
        return " or ".join(f"<code>{escape(str(each))}</code>" for each in schema["enum"])
    return escape(str(schema.get("type", "")))


def _json(schema: dict[str, Any]) -> str:
    return f"<pre>{escape(json.dumps(schema, indent=2, ensure_ascii=False))}</pre>"
