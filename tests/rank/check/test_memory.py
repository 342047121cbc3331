"""Copies of all cores at once: rates of whole rounds, and a wrong byte is counted."""

from typing import Any

import numpy as np
import pytest

from ringscope.rank.check import memory


def test_rounds_have_rates_and_right_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_MOST_BYTES", 1 << 20)
    found = memory.copied(0.05, 2)
    assert found.threads == 2 and found.wrong_bytes == 0
    assert found.rates and min(found.rates) > 0


def test_a_wrong_byte_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_MOST_BYTES", 1 << 20)
    copyto = np.copyto

    def spoil(target: Any, source: Any) -> None:
        copyto(target, source)
        target[7] ^= 1

    monkeypatch.setattr(memory.np, "copyto", spoil)
    assert memory.copied(0.05, 1).wrong_bytes == 1
