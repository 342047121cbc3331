"""Checkpoints: what was saved comes back bit for bit, and a broken file is never taken for one."""

import io
import os
from pathlib import Path
from typing import Any

import pytest
import torch

from ringscope.engine.errors import EngineError
from ringscope.train import checkpoint
from ringscope.train.checkpoint import Checkpoint


def trained(steps: int) -> tuple[torch.nn.Module, torch.optim.Optimizer]:
    torch.manual_seed(0)
    model = torch.nn.Linear(20, 5)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(steps):
        train(model, optimizer)
    return model, optimizer


def train(model: torch.nn.Module, optimizer: torch.optim.Optimizer) -> None:
    optimizer.zero_grad()
    model(torch.ones(3, 20)).square().sum().backward()
    optimizer.step()


def taken(steps: int, extra: dict[str, Any] | None = None) -> Checkpoint:
    model, optimizer = trained(steps)
    return Checkpoint(steps, 1, 2, model.state_dict(), optimizer.state_dict(), extra or {})


def test_training_goes_on_bit_for_bit(tmp_path: Path) -> None:
    whole, _ = trained(7)
    checkpoint.save(tmp_path, taken(4))
    found = checkpoint.load(tmp_path, 4)
    model, optimizer = trained(0)
    model.load_state_dict(found.model)
    optimizer.load_state_dict(found.optimizer)
    for _ in range(3):
        train(model, optimizer)
    assert (found.step, found.epoch, found.index) == (4, 1, 2)
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), whole.parameters(), strict=True))


def test_what_else_is_saved_comes_back(tmp_path: Path) -> None:
    extra = {"loss_scale": 1024.0, "counts": [3, 4], "residuals": {"0": torch.arange(3.0)}, "name": "x", "none": None}
    checkpoint.save(tmp_path, taken(1, extra))
    found = checkpoint.load(tmp_path, 1).extra
    assert torch.equal(found["residuals"].pop("0"), extra["residuals"].pop("0"))
    assert found == extra


def test_the_newest_two_are_kept_by_number(tmp_path: Path) -> None:
    for step in (1, 20, 3, 100):
        checkpoint.save(tmp_path, taken(step))
    assert checkpoint.steps(tmp_path) == [20, 100]
    assert len(list(tmp_path.iterdir())) == 2


def test_what_a_killed_process_left_is_no_checkpoint_and_goes(tmp_path: Path) -> None:
    (tmp_path / "step-0000000009.pt.unfinished").write_bytes(b"half")
    assert checkpoint.steps(tmp_path) == []
    checkpoint.save(tmp_path, taken(1))
    assert [path.name for path in tmp_path.iterdir()] == ["step-0000000001.pt"]


def test_a_process_that_dies_while_it_writes_leaves_the_older_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint.save(tmp_path, taken(1))

    class Killed(BaseException):
        pass

    def kill(_: int) -> None:
        raise Killed

    monkeypatch.setattr(os, "fsync", kill)
    with pytest.raises(Killed):
        checkpoint.save(tmp_path, taken(2))
    assert checkpoint.steps(tmp_path) == [1]
    assert checkpoint.load(tmp_path, 1).step == 1


def test_a_disk_that_is_full_is_told_and_leaves_nothing_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(EngineError, match=r"cannot write checkpoint .*step-0000000002\.pt: No space left on device"):
        checkpoint.save(tmp_path, taken(2))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EngineError, match="cannot write checkpoint"):
        checkpoint.save(tmp_path / "file" / "below", taken(2))


def test_there_are_none_where_there_is_no_folder(tmp_path: Path) -> None:
    assert checkpoint.steps(tmp_path / "nowhere") == []


def test_one_that_is_missing_is_told_with_those_that_are_there(tmp_path: Path) -> None:
    checkpoint.save(tmp_path, taken(3))
    with pytest.raises(EngineError, match=f"no checkpoint after step 4 in {tmp_path}; existing ones: 3"):
        checkpoint.load(tmp_path, 4)


def spoil(content: bytes) -> bytes:
    """Flip one bit of a parameter."""
    place = content.index(torch.load(io.BytesIO(content), weights_only=True)["model"]["weight"].numpy().tobytes()[:16])
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


@pytest.mark.parametrize(
    "breaking", [spoil, lambda content: content[: len(content) // 2], lambda content: b"", lambda content: b"x" * 100]
)
def test_a_broken_file_is_told(tmp_path: Path, breaking: Any) -> None:
    path = checkpoint.save(tmp_path, taken(3))
    path.write_bytes(breaking(path.read_bytes()))
    with pytest.raises(EngineError, match=rf"checkpoint {path} is broken \(.*\); remove it"):
        checkpoint.load(tmp_path, 3)


def test_a_file_that_would_run_a_program_is_refused(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[Any, ...]:
            return os.mkdir, (str(tmp_path / "evil"),)

    torch.save({"step": Evil()}, tmp_path / "step-0000000001.pt")
    with pytest.raises(EngineError, match="is broken"):
        checkpoint.load(tmp_path, 1)
    assert not (tmp_path / "evil").exists()
