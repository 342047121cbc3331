"""Joining a communicator of NCCL: versions, a GPU that several share, what one says that cannot; on the fake."""

import os
import re
import sys

import pytest
from tests.engine.fakes.fixture import PYTHONPATH

from ringscope.engine.errors import EngineError
from ringscope.engine.memory.cuda import Gpu
from ringscope.engine.vendors import nccl_link
from ringscope.engine.vendors.nccl_link import check_versions, load_nccl, version_text


def test_all_ranks_need_one_version(cupy, nccl):
    with pytest.raises(EngineError, match=r"^nccl: rank 2 has NCCL 2.29.1 but rank 0 has 2.30.7; install the same"):
        check_versions([23007, 23007, 22901], (0,))
    with pytest.raises(EngineError, match=r"rank 1 has NCCL 2.29.1"):
        nccl(0, 2, answers=[[23007, 22901]])


@pytest.mark.parametrize(("number", "text"), [(23007, "2.30.7"), (2804, "2.8.4"), (21903, "2.19.3")])
def test_versions_for_people(number, text):
    assert version_text(number) == text


def test_several_ranks_on_one_gpu_need_a_new_nccl_and_its_permission(cupy, nccl, monkeypatch):
    crowded = Gpu(0, "0000:00:00.0", (0, 2))
    for name in nccl_link._SHARED_GPU_SETTINGS:
        monkeypatch.delenv(name, raising=False)
    cupy.fake.nccl_version = 22907
    with pytest.raises(EngineError, match=r"^nccl: ranks 0, 2 share one GPU, which NCCL 2.29.7 cannot; start one rank"):
        nccl(0, 3, crowded)
    cupy.fake.nccl_version = 23007
    assert nccl(0, 3, crowded).name == "nccl, one-device loopback"
    assert os.environ["NCCL_MULTI_RANK_GPU_ENABLE"] == "1"
    for name in nccl_link._SHARED_GPU_SETTINGS:
        monkeypatch.delenv(name)


@pytest.mark.parametrize("where", ["get_unique_id", "NcclCommunicator"])
def test_a_rank_that_cannot_join_says_so(cupy, nccl, where):
    cupy.fake.refused = {where: 1}
    with pytest.raises(EngineError, match=r"^nccl: rank 0 cannot join the communicator \(.*unhandled cuda error\)"):
        nccl(0, 1)


def test_a_rank_without_a_unique_id_is_named_on_the_others(cupy, nccl):
    told = [(False, "nccl: rank 0 cannot join the communicator."), None, None]
    with pytest.raises(EngineError, match=r"^nccl: rank 0 cannot join the communicator\.$"):
        nccl(1, 3, answers=[[23007] * 3, told])


def test_a_rank_that_cannot_join_says_so_and_the_others_do_not_wait_for_ever(gang, tmp_path):
    done = gang(2, "gpu_join_main.py", PYTHONPATH=PYTHONPATH, TMPDIR=str(tmp_path))  # where the fake's ranks meet
    assert done.returncode != 0
    assert re.search(r"nccl: rank 1 cannot join the communicator \(.*unhandled cuda error\)", done.stderr), done.stderr
    assert re.search(r"Rank 0 (waited 1 s for|lost) rank 1 in call \d of joining NCCL's communicator", done.stderr)


def test_joining_that_never_ends_is_left_to_the_watchdog(cupy, nccl):
    cupy.fake.blocks_in = "NcclCommunicator"
    nccl(0, 2)
    assert cupy.fake.goes_on.is_set()


@pytest.mark.parametrize("is_module_there", [False, True])
def test_without_nccl_one_sentence_says_so(cupy, monkeypatch, is_module_there):
    cupy.fake.has_nccl = False  # CuPy then warns, and says that it is not available
    if not is_module_there:
        monkeypatch.setitem(sys.modules, "cupy.cuda.nccl", None)
    sentence = r"^transport: nccl cannot be loaded.*; pip install nvidia-nccl-cu12 \(or -cu13\), or choose cuda_ipc"
    with pytest.raises(EngineError, match=sentence):
        load_nccl()
