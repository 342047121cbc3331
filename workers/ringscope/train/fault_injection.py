"""Fault injection, to test that faults are detected (``rank_process.FAULT_VARIABLE``)."""

from __future__ import annotations

import threading

import torch


class FaultInjection:
    """One rank's fault; an empty name does nothing."""

    def __init__(self, fault: str) -> None:
        self._fault = fault

    def before_comparison(self, module: torch.nn.Module) -> None:
        """``wrong_element``: one bit of this replica changes. ``deadlock``: this rank never takes part in the
        comparison.
        """
        if self._fault == "deadlock":
            threading.Event().wait()
        if self._fault == "wrong_element":
            first = next(module.parameters()).detach().reshape(-1)
            first.view(torch.int32)[0] ^= 1
