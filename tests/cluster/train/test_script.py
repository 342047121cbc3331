"""Jobs of kind script: a file of the node's own, with our communicator, optimizer and telling."""

from pathlib import Path

import pytest
from tests.cluster.train.jobs import run_job

from ringscope.contracts.rank_process import EXIT_FAILURE, SCRIPTS_VARIABLE
from ringscope.contracts.record import Done, Steps

EXAMPLES = Path(__file__).parents[3] / "examples"
TRAINING = """
import sys
import torch
import ringscope

comm = ringscope.init()
torch.manual_seed(comm.rank)  # rank 0's parameters are everybody's
model = torch.nn.Linear(6, 3)
optimizer = ringscope.DistributedOptimizer(torch.optim.SGD(model.parameters(), lr=0.1), model, algorithm="direct")
samples = torch.randn(int(sys.argv[1]), 6, generator=torch.Generator().manual_seed(5))
mine = samples[comm.rank :: comm.size]
for step in range(25):
    optimizer.zero_grad()
    with optimizer.accumulate():
        (model(mine[:2]).square().mean() * 0.5).backward()
    loss = model(mine[2:]).square().mean() * 0.5
    loss.backward()
    optimizer.step()
    ringscope.log_step(loss=loss.item(), samples=len(mine))

torch.manual_seed(0)
alone = torch.nn.Linear(6, 3)
plain = torch.optim.SGD(alone.parameters(), lr=0.1)
for step in range(25):
    plain.zero_grad()
    parts = [samples[rank :: comm.size] for rank in range(comm.size)]
    sum(
        (alone(part[:2]).square().mean() + alone(part[2:]).square().mean()) * 0.5 / comm.size for part in parts
    ).backward()
    plain.step()
for one, other in zip(model.parameters(), alone.parameters()):
    assert (one - other).abs().max() < 1e-6, (one, other)
assert comm.position[1] == 25  # so that nobody takes it for hanging
print("equal to one process")
"""


# A relative path, and peers that are found by the environment alone.
FOR_TORCHRUN = """
import os, torch, torch.distributed as dist
dist.init_process_group("gloo")
value = torch.tensor([1.0 + dist.get_rank()])
dist.all_reduce(value)
names = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE")
with open(f"told{dist.get_rank()}", "w") as file:
    file.write(" ".join([*(os.environ[name] for name in names), str(value.item())]))
dist.destroy_process_group()
"""


@pytest.fixture
def run_script(tmp_path, monkeypatch):
    def run(content, *arguments, file="mine/train.py", ranks=2):
        monkeypatch.setenv(SCRIPTS_VARIABLE, str(tmp_path))
        (tmp_path / "mine").mkdir(exist_ok=True)
        (tmp_path / "mine" / "train.py").write_text(content)
        return run_job(ranks, {"kind": "script", "script": {"file": file, "arguments": list(arguments)}})

    return run


@pytest.mark.long
def test_the_optimizer_equals_one_process_and_every_step_is_told(run_script):
    run, records = run_script(TRAINING, "8")
    assert (run.exit_code, run.reason) == (0, ""), run.output
    assert run.output.count("equal to one process") == 2
    for rank in range(2):
        blocks = [r for r in records if isinstance(r, Steps) and r.rank == rank]
        assert sum(len(block.start_ns) for block in blocks) == 25
        assert {block.algorithm for block in blocks} == {"direct"}
        assert all(set(block.samples) == {4} for block in blocks)
        assert all(0 < c < d for b in blocks for c, d in zip(b.communication_us, b.duration_us, strict=True))
    assert sum(isinstance(record, Done) for record in records) == 2


@pytest.mark.long
def test_the_example_learns(monkeypatch):
    monkeypatch.setenv(SCRIPTS_VARIABLE, str(EXAMPLES))
    run, records = run_job(2, {"kind": "script", "script": {"file": "own_training.py"}})
    assert run.exit_code == 0, run.output
    losses = [loss for r in records if isinstance(r, Steps) and r.rank == 1 for loss in r.loss]
    assert len(losses) == 200
    assert sum(losses[-10:]) < 0.2 * sum(losses[:10])


CLIPPED = """
import torch
import ringscope

comm = ringscope.init()
model = torch.nn.Sequential(*(torch.nn.Linear(64, 64) for _ in range(8)))
plain = torch.optim.SGD(model.parameters(), lr=0.1)
optimizer = ringscope.DistributedOptimizer(plain, model, bucket_bytes=1 << 14)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 4)
torch.manual_seed(comm.rank)
for step in range(10):
    optimizer.zero_grad(set_to_none=True)
    loss = model(torch.randn(8, 64)).square().mean()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
    CHANGE
    optimizer.step()
    scheduler.step()
    ringscope.log_step(loss=loss.item(), samples=8)
print("checksum", sum(parameter.double().sum().item() for parameter in model.parameters()))
"""


@pytest.mark.long
def test_replicas_that_clip_stay_equal(run_script):
    run, records = run_script(CLIPPED.replace("CHANGE", "pass"))
    assert (run.exit_code, run.reason) == (0, ""), run.output
    sums = [line.split("checksum")[1] for line in run.output.splitlines() if "checksum" in line]
    assert len(sums) == 2
    assert len(set(sums)) == 1
    assert all(us > 0 for r in records if isinstance(r, Steps) for us in r.communication_us)


@pytest.mark.long
@pytest.mark.parametrize(
    ("change", "step"),
    [
        ("if comm.rank == 1: model[0].bias.grad.add_(1)", 1),
        ("if comm.rank == step - 8: model[0].bias.data.add_(1)", 10),
    ],
    ids=["gradients at once", "parameters in the last step"],
)
def test_replicas_that_differ_fail_the_job(run_script, change, step):
    run, _ = run_script(CLIPPED.replace("CHANGE", change))
    assert run.exit_code != 0
    assert f"After step {step} the parameters of rank 1 differ from those of rank 0" in run.reason


def test_a_step_may_be_told_without_pytorch(run_script):
    times = "compute_us=5, input_us=1, exposed_us=2, communication_us=3, duration_us=8"
    told = f"ringscope.log_step({times}, size_bytes=64)"
    run, records = run_script(f"import ringscope, sys\n{told}\nassert 'torch' not in sys.modules\nsys.exit(0)\n")
    assert run.exit_code == 0, run.output
    steps = next(record for record in records if isinstance(record, Steps))
    assert (steps.compute_us, steps.exposed_us, steps.communication_us, steps.duration_us) == ([5], [2], [3], [8])
    assert steps.input_us == [1] and steps.memory_bytes > 0
    assert (steps.bytes, steps.loss, steps.algorithm) == (64, None, "none")


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("content", "file", "sentence"),
    [
        ("1 / 0\n", "mine/train.py", "mine/train.py failed: ZeroDivisionError: division by zero"),
        ("import sys\nsys.exit(4)\n", "mine/train.py", "mine/train.py ended with 4."),
        ("", "mine/other.py", "has no mine/other.py; put it there on every node."),
    ],
)
def test_what_goes_wrong_is_told_in_a_sentence(run_script, content, file, sentence):
    run, _ = run_script(content, file=file, ranks=1)
    assert run.exit_code == EXIT_FAILURE
    assert sentence in run.reason


def test_a_script_that_is_made_for_torchrun_runs_as_it_is_in_its_own_folder(run_script, tmp_path):
    run, _ = run_script(FOR_TORCHRUN)
    assert run.exit_code == 0, run.reason + run.output
    told = [(tmp_path / "mine" / f"told{rank}").read_text() for rank in range(2)]
    assert told == ["0 2 0 2 3.0", "1 2 1 2 3.0"]


MODULE = """
import os, sys
from mpi4py import MPI
from .beside import NUMBER

comm = MPI.COMM_WORLD
names = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "GROUP_RANK", "NODE_RANK", "TORCHELASTIC_RUN_ID")
assert [int(os.environ[name]) for name in names[:5]] == [comm.rank, comm.size, comm.rank, 0, 0]
assert len(set(comm.allgather((os.environ["MASTER_PORT"], os.environ[names[5]])))) == 1
total = comm.allreduce(NUMBER + comm.rank)
if comm.rank == 0:
    print(__name__, __package__, total, os.path.basename(os.getcwd()), *sys.argv[1:], os.environ["NCCL_ALGO"])
"""


def test_a_module_of_mpi4py_runs_unchanged_in_its_working_folder(tmp_path, monkeypatch):
    monkeypatch.setenv(SCRIPTS_VARIABLE, str(tmp_path))
    for folder in ("pkg", "work"):
        (tmp_path / folder).mkdir()
    (tmp_path / "pkg" / "__init__.py").touch()
    (tmp_path / "pkg" / "train.py").write_text(MODULE)
    (tmp_path / "pkg" / "beside.py").write_text("NUMBER = 5")
    monkeypatch.setenv("NCCL_ALGO", "Ring")
    script = {"file": "pkg/train.py", "as_module": True, "folder": "work", "arguments": ["--epochs", "3"]}
    run, _ = run_job(2, {"kind": "script", "script": script})
    assert run.exit_code == 0, run.output
    assert "__main__ pkg 11 work --epochs 3 Ring" in run.output
