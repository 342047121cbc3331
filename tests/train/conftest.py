"""A fixture that all tests of training use: PyTorch runs on one thread."""

import pytest
import torch


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> None:
    """PyTorch would start a thread for each core, beside pytest's own workers."""
    torch.set_num_threads(1)
