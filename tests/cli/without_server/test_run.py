"""`ringscope run`: a script on several ranks without a server."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import os, sys
print(os.environ["RANK"], os.environ["WORLD_SIZE"], os.getcwd(), *sys.argv[1:], os.environ.get("NCCL_ALGO"))
for line in range(50 if "--lines" in sys.argv else 0):
    print(os.environ["RANK"], line, "of", 50)
if "--fail" in sys.argv and os.environ["RANK"] == "1":
    raise ValueError("no luck")
"""


def ringscope_run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("ringscope")), "run", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").touch()
    (tmp_path / "pkg" / "train.py").write_text(SCRIPT)
    return tmp_path


def test_a_script_runs_on_its_ranks_with_its_arguments_in_this_folder(folder: Path) -> None:
    done = ringscope_run(folder, "--ranks", "2", "--env", "NCCL_ALGO=Ring", "pkg/train.py", "--ranks", "9")
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(done.stdout.splitlines()) == [f"{rank} 2 {folder} --ranks 9 Ring" for rank in range(2)]


def test_lines_of_ranks_that_print_at_the_same_time_stay_whole(folder: Path) -> None:
    done = ringscope_run(folder, "--ranks", "2", "pkg/train.py", "--lines")
    printed = [line for line in done.stdout.splitlines() if "--lines" not in line]
    assert sorted(printed) == sorted(f"{rank} {line} of 50" for rank in range(2) for line in range(50))


TRAINING = """
import torch, torch.distributed as dist, ringscope
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
dist.init_process_group("gloo")
torch.manual_seed(0)
plain = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Linear(8, 1))
hooked = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Linear(8, 1))
hooked.load_state_dict(plain.state_dict())
plain, hooked = DistributedDataParallel(plain), DistributedDataParallel(hooked)
hooked.register_comm_hook(None, ringscope.ddp_hook)
optimizers = [torch.optim.SGD(model.parameters(), lr=0.1) for model in (plain, hooked)]
inputs = torch.randn(24, 4) + dist.get_rank()
for batch, in DataLoader(TensorDataset(inputs), batch_size=8):
    for model, optimizer in zip((plain, hooked), optimizers):
        optimizer.zero_grad()
        model(batch).square().mean().backward()
    for one, other in zip(plain.parameters(), hooked.parameters()):
        assert torch.equal(one.grad, other.grad), (one.grad, other.grad)
    for optimizer in optimizers:
        optimizer.step()
    dist.all_reduce(torch.ones(16))
dist.destroy_process_group()
print("done")
"""


@pytest.mark.long  # tests/rank/watch has the same with a script of fakes
def test_a_script_with_ddp_is_summed_up_and_our_hook_has_the_gradients_of_gloo(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "train.py").write_text(TRAINING)
    done = ringscope_run(tmp_path, "--ranks", "2", "train.py")
    assert (done.returncode, done.stdout) == (0, "done\n" * 2), done.stderr
    steps, collectives = done.stderr.splitlines()
    assert steps.startswith("3 steps of rank 0: median ")
    assert " samples/s on each rank; " in steps
    assert "3 x all_reduce of 64 B (" in collectives
    assert "x all_reduce of DDP of " in collectives


@pytest.mark.long
def test_a_module_that_fails_is_told_with_its_rank(folder: Path) -> None:
    done = ringscope_run(folder, "--ranks", "2", "-m", "pkg.train", "--fail")
    assert done.returncode == 1
    assert "pkg/train.py failed: ValueError: no luck" in done.stderr
    assert "Traceback" in done.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["train.py"], "SCRIPT: there is no file train.py here; name a Python file."),
        (["-m", "pkg.missing"], "SCRIPT: this folder has no module pkg.missing; name one of its files or packages"),
    ],
)
def test_a_script_that_is_missing_is_told_in_a_sentence(folder: Path, words: list[str], sentence: str) -> None:
    done = ringscope_run(folder, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
