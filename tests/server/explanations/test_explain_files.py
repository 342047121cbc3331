"""POST /files/explanation."""

import base64
import gzip
import pickle
from typing import Any

import pytest
from tests.hangs.virtual import as_json, entry, pending, value
from tests.imports.published import one
from tests.server.conftest import Server

from ringscope_server.explanations.question import MOST_BYTES

PATH = "/api/v1/files/explanation"


def packed(name: str, content: bytes) -> dict[str, str]:
    return {"name": name, "gzip_base64": base64.b64encode(gzip.compress(content)).decode()}


async def explained(server: Server, *files: dict[str, str]) -> dict[str, Any]:
    response = await server.admin.post(PATH, json={"files": files})
    assert response.status_code == 200, response.text
    told: dict[str, Any] = response.json()
    return told


async def test_pickles_and_texts_are_explained_together(server: Server) -> None:
    waits, missing = value([entry(1), pending(2)], ranks=2), value([entry(1)], ranks=2)
    told = await explained(
        server,
        packed("dump_0", pickle.dumps(waits, protocol=2)),
        packed("dump_1", pickle.dumps(missing, protocol=2)),
        {"name": "tests.log", "content": one("alltoall_then_sendrecv_double").content.decode()},
        {"name": "notes.txt", "content": "hello\n"},
    )
    assert told["hang"]["answer"].startswith("Rank 1 has not issued operation 2 of group 0")
    assert [row["ranks"] for row in told["hang"]["table"]["rows"]] == [[1], [0]]
    assert told["hang"]["findings"][0]["expected"]["source"] == "/home/me/train.py:12"
    assert told["results"][0]["runs"][0]["judgement"]["word"] == "as expected"
    assert [(file["name"], file["kinds"]) for file in told["files"]][-1] == ("notes.txt", [])
    assert "can be explained here" in told["files"][-1]["refused"]


async def test_a_pickle_that_could_run_code_is_not_loaded(server: Server) -> None:
    class Evil:
        def __reduce__(self) -> tuple[Any, ...]:
            return print, ("loaded",)

    files = [
        packed(f"dump_{rank}", pickle.dumps({"entries": [Evil()], "pg_config": {}}, protocol=2)) for rank in (0, 1)
    ]
    told = await explained(server, *files)
    assert told["hang"] is None
    assert all("the pickle was not loaded, because" in file["refused"] for file in told["files"])


async def test_a_viewer_may_ask_and_nobody_else(server: Server) -> None:
    body = {"files": [{"name": "a", "content": "x"}]}
    viewer = await server.person("viewer")
    assert (await viewer.post(PATH, json=body)).status_code == 200
    assert (await server.client().post(PATH, json=body)).status_code == 401


async def test_too_much_is_refused_in_one_sentence(server: Server) -> None:
    large = packed("zeros", b"\n" * (MOST_BYTES + 1))
    response = await server.admin.post(PATH, json={"files": [large]})
    assert (response.status_code, response.json()["code"]) == (413, "files_too_large")
    assert "more than 32 MiB" in response.json()["detail"]


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        ({"name": "a"}, "give either content or gzip_base64"),
        ({"name": "a", "content": "x", "gzip_base64": "x"}, "give either content or gzip_base64"),
        ({"name": "a", "gzip_base64": "not base64!"}, "it is not gzip in Base64"),
        ({"name": "a", "gzip_base64": base64.b64encode(b"no gzip").decode()}, "it is not gzip in Base64"),
        ({"name": "a", "gzip_base64": base64.b64encode(gzip.compress(b"x" * 99)[:12]).decode()}, "it is not gzip"),
    ],
)
async def test_a_content_that_cannot_be_read_is_refused(server: Server, file: dict[str, str], sentence: str) -> None:
    response = await server.admin.post(PATH, json={"files": [file]})
    assert response.status_code == 422
    assert sentence in response.json()["detail"]


async def test_json_dumps_of_both_ranks_need_no_compression(server: Server) -> None:
    texts = [as_json([entry(1), pending(2)], ranks=2), as_json([entry(1)], ranks=2)]
    told = await explained(
        server, *({"name": f"rank_{i}.json", "content": text.decode()} for i, text in enumerate(texts))
    )
    assert told["hang"]["table"]["columns"][1]["source"] is None
