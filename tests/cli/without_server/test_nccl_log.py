"""`ringscope nccl-log` explains logs of NCCL_DEBUG=INFO without a server."""

import json
from pathlib import Path

from typer.testing import CliRunner

from ringscope.cli.main import build
from ringscope.contracts.errors import UserError

WRITTEN = Path(__file__).parents[2] / "nccl_log" / "written"
RUNNER = CliRunner()


def run(*arguments: str, stdin: bytes = b"") -> tuple[int, str]:
    result = RUNNER.invoke(build("nccl-log"), ["nccl-log", *arguments], input=stdin)
    return result.exit_code, result.stdout


def test_the_answer_is_the_first_line() -> None:
    code, text = run(str(WRITTEN / "v2_18_infiniband_disabled.txt"))
    assert code == 1 and text.isascii()
    assert text.startswith("TCP sockets carry the edges between ranks 0-3 and 1-2, although node1 and node2 have ")
    assert "  ring of channels 0-1: 0 1 2 3" in text.splitlines()


def test_a_good_log_from_standard_input_exits_0() -> None:
    code, text = run("-", stdin=(WRITTEN / "v2_20_gpudirect.txt").read_bytes())
    assert code == 0
    assert text.startswith(
        "The slowest edges of the 4 ranks, between ranks 0-3 and 1-2, use the network with GPUDirect"
    )


def test_the_document_has_the_names_that_others_rely_on() -> None:
    _, text = run("--json", str(WRITTEN / "v2_28_ray_nvls.txt"))
    told = json.loads(text)
    (one,) = told["communicators"]
    assert (one["ranks"], one["channels"], one["rings_closed"], one["nvls_heads"]) == (4, 2, True, 4)
    assert one["rings"]["0"] == [0, 1, 2, 3]
    assert one["edges"][0] == {
        "channel": 0, "source": 0, "target": 1, "transport": "P2P/CUMEM", "class": "P2P", "card": None,
    }  # fmt: skip


def test_what_is_no_log_is_refused() -> None:
    for content in (b"hello\n", b"", b"\0\1"):
        result = RUNNER.invoke(build("nccl-log"), ["nccl-log", "-"], input=content)
        assert isinstance(result.exception, UserError)
