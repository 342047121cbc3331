"""POST /plan and /plan/sensitivity."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import clean_environment, run_ringscope
from tests.server.conftest import Server

from ringscope.contracts.words.topology import ALIASES, PRESETS
from ringscope.cost.nccl_model import ARCHITECTURES

LECTURE = {"algorithms": ["naive", "ring", "gather"], "cluster": {"shape": "10", "link": "1GB/s"}}


async def plan(server: Server, **question: Any) -> dict[str, Any]:
    response = await server.admin.post("/api/v1/plan", json=question)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


async def refused(server: Server, path: str = "/plan", **question: Any) -> dict[str, Any]:
    response = await server.admin.post(f"/api/v1{path}", json=question)
    assert response.status_code == 422, response.text
    found: dict[str, Any] = response.json()["errors"][0]
    return found


async def test_the_lectures_case(server: Server) -> None:
    (cell,) = (await plan(server, **LECTURE, sizes_bytes=[1_200_000_000], typed_size="1.2GB"))["cells"]
    assert cell["answer"].endswith("(N-1)·K = 10.8 GB, each link of the ring 1.8·K = 2.16 GB.")
    assert {price["algorithm"]: price["time_s"] for price in cell["results"]} == pytest.approx(
        {"naive": 21.6, "ring": 2.16, "gather": 10.8}
    )
    assert (cell["fastest"], cell["ranks"], cell["limit_gb_per_s"]) == ("ring", 10, pytest.approx(1))
    assert [price["is_whole"] for price in cell["results"]] == [True, True, False]
    ring = cell["results"][1]
    assert (ring["steps"], ring["messages"], ring["sent_bytes"]) == (18, 18, 2_160_000_000)


async def test_what_only_collects_is_never_the_fastest(server: Server) -> None:
    """A gather with two ranks takes half of the time of a whole all-reduce."""
    asked = {"cluster": {"shape": "2", "link": "1GB/s"}, "sizes_bytes": [1 << 10, 1 << 30]}
    for cell in (await plan(server, algorithms=["gather", "naive", "separate_servers"], **asked))["cells"]:
        assert cell["fastest"] != "gather"
        assert min(cell["results"], key=lambda price: price["time_s"])["algorithm"] == "gather"
    (cell, _) = (await plan(server, algorithms=["gather"], **asked))["cells"]
    assert cell["fastest"] is None


async def test_it_is_what_ringscope_plan_prints(server: Server) -> None:
    cluster = {"shape": "2x4", "link": "ib200", "intra": "nvlink4", "nics_per_node": 2, "reduce_gb_per_s": 50}
    (cell,) = (await plan(server, cluster=cluster, sizes_bytes=[1 << 20], servers=2))["cells"]
    flags = ("--topology", "2x4", "--link", "ib200", "--nics", "2", "--gamma", "50GB/s", "--servers", "2")
    printed = run_ringscope("plan", "--bytes", "1MiB", *flags, "--json", environment=clean_environment())
    assert cell["results"] == json.loads(printed.stdout)["results"]
    assert cell["results"][-1]["algorithm"] == "nccl"


async def test_many_sizes_of_a_ring_through_every_card_are_not_too_much(server: Server) -> None:
    """The page asks for whole curves; such a ring is priced by classes of equal ranks."""
    cluster = {"shape": "8x8", "link": "ib400"}
    cells = (await plan(server, algorithms=["ring"], cluster=cluster, sizes_bytes=[4**i for i in range(2, 20)]))[
        "cells"
    ]
    assert {cell["results"][0]["channels"] for cell in cells} == {8}
    assert 350 < cells[-1]["results"][0]["busbw_gb_per_s"] < 400
    one = await plan(server, algorithms=["ring"], cluster=cluster | {"channels": 1}, sizes_bytes=[1 << 30])
    assert one["cells"][0]["results"][0]["busbw_gb_per_s"] == pytest.approx(50, rel=0.02)


async def test_cells_come_shape_by_shape(server: Server) -> None:
    found = await plan(server, algorithms=["ring", "tree"], shapes=["1", "4", "16"], sizes_bytes=[8, 1 << 26])
    assert [(cell["shape"], cell["size_bytes"], cell["fastest"]) for cell in found["cells"]] == [
        ("1", 8, None),
        ("1", 1 << 26, None),
        ("4", 8, "tree"),
        ("4", 1 << 26, "ring"),
        ("16", 8, "tree"),
        ("16", 1 << 26, "ring"),
    ]


async def test_parameters_of_a_fit_stand_in_for_the_links(server: Server) -> None:
    regime = {"below_bytes": None, "latency_s": 0, "send_s_per_byte": 1e-9, "reduce_s_per_byte": None}
    regime |= {"intra_latency_s": None, "intra_send_s_per_byte": None}
    question = {"algorithms": ["ring"], "cluster": {"shape": "10"}, "parameters": [regime]}
    (cell,) = (await plan(server, **question, sizes_bytes=[1_200_000_000]))["cells"]
    assert cell["results"][0]["time_s"] == pytest.approx(2.16)
    found = await refused(server, **question | {"parameters": [regime | {"below_bytes": 8}]})
    assert found["detail"] == "parameters: below_bytes must grow from regime to regime and be null in the last one."


async def test_thousands_of_ranks_are_priced_by_their_work_alone(server: Server) -> None:
    """The price of direct is an upper bound on shared uplinks, and says so."""
    cluster = {"shape": "16x32x8", "link": "ib400", "oversubscription": 4}
    (cell,) = (await plan(server, algorithms=["ring", "direct", "tree"], cluster=cluster))["cells"]
    assert cell["ranks"] == 4096
    assert {price["algorithm"]: price["is_bound"] for price in cell["results"]} == {
        "ring": False,
        "direct": True,
        "tree": False,
    }


async def test_nccls_model_is_left_out_beside_a_fit_and_where_it_knows_no_gpus(server: Server) -> None:
    regime = {"below_bytes": None, "latency_s": 0, "send_s_per_byte": 1e-9, "reduce_s_per_byte": None}
    regime |= {"intra_latency_s": None, "intra_send_s_per_byte": None}
    for intra, parameters in (("nvlink4", [regime]), ("450GB/s", [])):
        cluster = {"shape": "2x4", "intra": intra}
        (cell,) = (await plan(server, cluster=cluster, parameters=parameters))["cells"]
        assert "nccl" not in {price["algorithm"] for price in cell["results"]}


def test_the_page_knows_the_same_gpus() -> None:
    form = (Path(__file__).parents[3] / "frontend" / "src" / "lib" / "form" / "planForm.ts").read_text()
    written = re.search(r"NCCL_KNOWS = /(.*)/;", form)
    assert written is not None
    assert {name for name in (*PRESETS, *ALIASES) if re.search(written[1], name)} == {
        *ARCHITECTURES,
        *(name for name, meant in ALIASES.items() if meant in ARCHITECTURES),
    }


UNPRICED: list[tuple[dict[str, Any], str, str]] = [
    ({"algorithms": ["rong"]}, "/algorithms", "unknown algorithm 'rong'; choose one of ring"),
    ({"collective": "alltoall", "algorithms": ["ring"]}, "/algorithms", "choose one of direct"),
    (
        {"algorithms": ["nccl"], "cluster": {"intra": "10gbe"}},
        "/algorithms",
        "choose one of these as the link inside nodes",
    ),
    ({"cluster": {"shape": "0x4"}}, "/cluster/shape", "'0x4' is not a shape"),
    ({"cluster": {"shape": "65537"}}, "/cluster/shape", "too many to plan with; give 65536 or fewer"),
    ({"cluster": {"shape": "128x64x8"}, "sizes_bytes": [1 << 30]}, "/algorithms", "or run `ringscope plan`"),
    ({"shapes": ["8", "x"]}, "/shapes/1", "'x' is not a shape"),
    ({"cluster": {"link": "string"}}, "/cluster/link", "neither a known link nor a rate"),
    ({"cluster": {"shape": "128"}, "sizes_bytes": [1 << 30] * 20}, "/algorithms", "give fewer algorithms, sizes or"),
    ({"shapes": ["2"] * 16, "sizes_bytes": [8] * 13}, "/sizes_bytes", "more than 200; give fewer of either"),
    ({"sizes_bytes": []}, "/sizes_bytes", "name at least 1"),
    ({"sizes_bytes": [0]}, "/sizes_bytes/0", "give 1 or more"),
]


async def test_what_cannot_be_priced_is_refused(server: Server) -> None:
    for question, pointer, words in UNPRICED:
        found = await refused(server, **question)
        assert found["pointer"] == pointer
        assert words in found["detail"]


async def test_sensitivity_tells_what_the_time_hangs_on(server: Server) -> None:
    question = {"algorithms": ["ring"], "cluster": {"shape": "8", "link": "1GB/s", "latency_us": 1}}
    response = await server.admin.post("/api/v1/plan/sensitivity", json=question | {"size_bytes": 8 << 20})
    changes = {item["figure"]: item["change"] for item in response.json()["items"]}
    sending, waiting = 2 * 7 / 8 * (8 << 20) / 1e9, 14e-6
    assert changes == pytest.approx(
        {
            "latency": 0.1 * waiting / (sending + waiting),
            "bandwidth": (1 / 1.1 - 1) * sending / (sending + waiting),
            "size": 0.1 * sending / (sending + waiting),
        },
        rel=1e-3,  # a tenth more elements are cut at lines
    )
    small = await server.admin.post("/api/v1/plan/sensitivity", json=question | {"size_bytes": 8})
    changes = {item["figure"]: item["change"] for item in small.json()["items"]}
    assert changes["latency"] > 0.09 > 0.001 > -changes["bandwidth"], "for 8 bytes the latency is nearly everything"
    found = await refused(server, "/plan/sensitivity", cluster={"shape": "64x32x8"})
    assert found["pointer"] == "/algorithms"
