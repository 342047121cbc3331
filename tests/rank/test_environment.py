"""The environment that a run reports has every variable that steers it, and no secret."""

import os

import pytest

from ringscope.contracts.record import RECORD
from ringscope.rank.environment import (
    bound_cpus,
    cpu_model,
    installed_versions,
    numa_node,
    parse_cpus,
    take_environment,
    telling_variables,
)

KEPT = {
    "NCCL_ALGO": "Ring",
    "UCX_TLS": "shm",
    "MPIR_CVAR_CH4_SHM_POSIX_EAGER": "iqueue",
    "OMPI_MCA_btl": "self",
    "OMP_NUM_THREADS": "1",
    "CUDA_VISIBLE_DEVICES": "0,1",
    "SLURM_JOB_ID": "7",
    "FI_PROVIDER": "efa",
    "TF_CPP_MIN_LOG_LEVEL": "2",
    "RINGSCOPE_FAULT": "wrong_element",
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
    "LD_PRELOAD": "/usr/lib/libjemalloc.so",
}


def test_variables_that_steer_a_run_are_kept_and_others_are_not():
    others = {"HOME": "/root", "PATH": "/bin", "LS_COLORS": "x", "SSH_AUTH_SOCK": "/tmp/s", "MY_NCCL_ALGO": "Tree"}
    terraforms = {"TF_CLI_CONFIG_FILE": "/root/.terraformrc", "TF_VAR_region": "eu", "TF_LOG": "INFO"}
    assert telling_variables(KEPT | others | terraforms) == KEPT


@pytest.mark.parametrize(
    "name",
    [
        "RINGSCOPE_TOKEN",
        "RINGSCOPE_ATTEMPT_TOKEN",
        "RINGSCOPE_AGENT_TOKEN_FILE",
        "NCCL_SECRET",
        "UCX_PASSWORD",
        "OMPI_PASSPHRASE",
        "MPICH_passwd",
        "SLURM_JWT",
        "CUDA_API_KEY",
        "CUDA_APIKEY",
        "FI_CREDENTIALS",
        "NCCL_AUTH",
        "SLURM_AUTH_TYPE",
        "NCCL_private_key",
        "I_MPI_COOKIE",
        "RINGSCOPE_SESSION",
        "TORCH_CERTIFICATE",
        "KMP_PWD",
    ],
)
def test_a_variable_whose_name_sounds_like_a_secret_is_left_out(name):
    assert telling_variables({name: "hunter2", "NCCL_ALGO": "Ring"}) == {"NCCL_ALGO": "Ring"}


@pytest.mark.parametrize(
    "value",
    [
        "url=x;password=hunter2",
        "--token hunter2",
        "Authorization: hunter2",
        "Bearer hunter2",
        "api_key=hunter2",
        "APIKEY:hunter2",
        "aws_secret=hunter2",
        "credentials={hunter2}",
    ],
)
def test_a_value_that_assigns_a_secret_is_left_out(value):
    assert telling_variables({"NCCL_NET_PLUGIN": value}) == {}


def test_of_an_address_user_and_password_go():
    told = telling_variables({"RINGSCOPE_SERVER": "http://ada:hunter2@host:8000/x", "UCX_A": "tcp://h:1,tcp://b:c@d"})
    assert told == {"RINGSCOPE_SERVER": "http://host:8000/x", "UCX_A": "tcp://h:1,tcp://d"}


def test_paths_of_our_own_plumbing_say_nothing_about_a_run():
    assert telling_variables({"RINGSCOPE_SOCKET": "/a", "RINGSCOPE_SPEC": "/b", "RINGSCOPE_AGENT_HOME": "/c"}) == {}


def test_a_long_value_is_cut():
    assert len(telling_variables({"NCCL_TOPO": "x" * 5000})["NCCL_TOPO"]) == 1000


def test_versions_are_those_of_what_is_installed():
    versions = installed_versions()
    assert {"python", "ringscope", "numpy"} <= set(versions)
    assert all(versions.values())


@pytest.mark.parametrize(
    ("text", "cpus"), [("0-2,8\n", {0, 1, 2, 8}), ("5", {5}), ("\n", set()), ("0-1,4-5", {0, 1, 4, 5})]
)
def test_the_kernels_lists_of_processors(text, cpus):
    assert parse_cpus(text) == cpus


def test_a_rank_is_bound_to_a_numa_node_only_when_all_its_processors_are(monkeypatch, tmp_path):
    for node, cpus in ((0, "0-3"), (1, "4-7")):
        (tmp_path / f"node{node}").mkdir()
        (tmp_path / f"node{node}" / "cpulist").write_text(cpus)
    monkeypatch.setattr("ringscope.rank.environment._NUMA", tmp_path)
    assert [numa_node(cpus) for cpus in ([0, 1], [6], [3, 4], [])] == [0, 1, None, None]


@pytest.mark.parametrize(("commit", "told"), [("c0ffee", "c0ffee"), ("", None)])
def test_two_builds_of_one_version_are_told_apart_where_their_commits_are_known(monkeypatch, commit, told):
    monkeypatch.setattr("ringscope.rank.environment.revision", lambda: commit)
    assert take_environment(0, (0,), {}, {}).versions.get("ringscope_commit") == told


def test_the_record_of_this_machine():
    told = take_environment(3, (3, 4), {"mpi": "5.0"}, {"NCCL_ALGO": "Ring", "NCCL_TOKEN": "hunter2"})
    assert (told.rank, told.ranks, told.versions["mpi"], told.cores) == (3, [3, 4], "5.0", os.cpu_count())
    assert told.variables == {"NCCL_ALGO": "Ring"}
    assert told.cpu_model == cpu_model()
    assert "kernel" in told.versions
    assert RECORD.validate_json(told.model_dump_json()) == told
    assert set(bound_cpus()) == os.sched_getaffinity(0)
