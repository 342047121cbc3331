"""Fault injection, to test that faults are detected (``rank_process.FAULT_VARIABLE``)."""

from __future__ import annotations

import threading
import time

import torch


class FaultInjection:
    """One rank's fault; an empty name does nothing."""

    def __init__(self, fault: str) -> None:
        self._fault = fault
        self._compute_us = 0.0  # the quickest step counts: the first ones also load libraries

    def during_input(self, parts: int) -> None:
        """``slow_input``: the samples take as long as the rest of the rank's step, as from a slow disk; this is called
        for each of the ``parts`` of a step's samples.
        """
        if self._fault == "slow_input":
            time.sleep(self._compute_us / 1e6 / parts)

    def note(self, compute_us: float) -> None:
        """Record the compute time of a step."""
        self._compute_us = min(self._compute_us or compute_us, compute_us)

    def before_comparison(self, module: torch.nn.Module) -> None:
        """``wrong_element``: one bit of this replica changes. ``deadlock``: this rank never takes part in the
        comparison.
        """
        if self._fault == "deadlock":
            threading.Event().wait()
        if self._fault == "wrong_element":
            first = next(module.parameters()).detach().reshape(-1)
            first.view(torch.int32)[0] ^= 1
