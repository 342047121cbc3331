"""Links that a run left out although its machine has them: the first question about a low number. Pure."""

from collections.abc import Mapping
from typing import NamedTuple

from ringscope.contracts.words.units import is_whole_number
from ringscope.expected.facts import Facts, gpu_class
from ringscope.expected.hardware import GPUS


class Finding(NamedTuple):
    """A link that was not used, in a sentence, and the command that shows whether this was meant."""

    sentence: str
    command: str
    explains: bool = True  # whether it alone explains any low number


def findings(facts: Facts) -> list[Finding]:
    """Return what the log says of links that were left out, the most telling first."""
    environment = facts.environment
    gpu = GPUS.get(gpu_class(facts.gpu) or "")
    found = []
    if (facts.nodes or 1) > 1 and facts.network == "sockets":
        why = " because NCCL_IB_DISABLE is 1" if environment.get("NCCL_IB_DISABLE") == "1" else ""
        found.append(
            Finding(f"The traffic between the nodes went over TCP sockets{why}.", "ibv_devinfo; NCCL_DEBUG=INFO")
        )
    if environment.get("NCCL_P2P_DISABLE") == "1" or environment.get("NCCL_P2P_LEVEL") in ("LOC", "0"):
        found.append(
            Finding("NCCL_P2P_DISABLE is set, so GPUs of a node did not use their links.", "unset NCCL_P2P_DISABLE")
        )
    if facts.nvls is False and gpu is not None and gpu.nvls and facts.collective == "all_reduce":
        found.append(
            Finding("The NVSwitch did not reduce (NVLS off), which costs about a fifth.", "NCCL_NVLS_ENABLE=1", False)
        )
    cards = [card for card in environment.get("NCCL_IB_HCA", "").lstrip("=").split(",") if card]
    few = 0 < len(cards) < (facts.cards or 0) and not environment.get("NCCL_IB_HCA", "").startswith("^")
    if few and (facts.nodes or 1) > 1 and any(is_whole_number(card[-1:]) for card in cards):
        found.append(
            Finding(
                f"NCCL_IB_HCA names {len(cards)} of the {facts.cards} cards of a node.",
                "unset NCCL_IB_HCA; ibv_devices",
            )
        )
    return found


def is_without_nvls(environment: Mapping[str, str]) -> bool:
    """Return whether the variables keep NCCL from reducing in the NVSwitch."""
    algorithm = environment.get("NCCL_ALGO", "").lower()
    return environment.get("NCCL_NVLS_ENABLE") == "0" or algorithm in ("ring", "tree")
