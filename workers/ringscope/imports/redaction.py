"""Secrets are removed from texts and environments before anything is stored or shown. Pure."""

import re
from collections.abc import Iterable

from ringscope.contracts.words.secrets import is_secret, without_user

_PREFIXES = ("NCCL_", "RCCL_", "UCX_", "OMPI_", "CUDA_", "HIP_", "ROCR_", "FI_", "OMP_", "SLURM_N", "MSCCL", "HSA_")
_REMOVED = "[removed]"
# NAME=value and NAME: value, --option value, and keys whose form is known, wherever they are. Every repetition has a
# limit, so that no text makes the search slow.
_WORD = (
    r"token|secret|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|credentials?|cookie|private[_-]?key|signature"
)
_ASSIGNED = re.compile(
    rf"((?<![\w-])[\w-]{{0,40}}?(?:{_WORD})[\w-]{{0,40}}[\"']?\s{{0,3}}[=:]\s{{0,3}}[\"']?)([^\s\"',;&]{{1,4096}})",
    re.IGNORECASE,
)
_OPTION = re.compile(
    rf"((?<![\w-])--?[\w-]{{0,40}}?(?:{_WORD})[\w-]{{0,20}}\s{{1,4}})([^\s-][^\s]{{0,4096}})", re.IGNORECASE
)
_BEARER = re.compile(r"((?:bearer|basic)\s{1,4})([A-Za-z0-9._~+/=-]{8,4096})", re.IGNORECASE)
_FORMS = re.compile(
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{20,255}|\bgithub_pat_\w{20,255}|\bhf_[A-Za-z0-9]{20,255}"
    r"|\bsk-[A-Za-z0-9_-]{20,255}|\bxox[abprs]-[A-Za-z0-9-]{10,255}|\beyJ[\w-]{10,2048}\.[\w-]{10,2048}\.[\w-]{5,2048}"
)
_KEY_BEGINS, _KEY_ENDS = "PRIVATE KEY-----", "-----END"


def redacted(text: str) -> str:
    """Return the text with the values of secrets replaced; numbers of tables stay as they are."""
    text = _without_keys(text)
    text = _BEARER.sub(rf"\1{_REMOVED}", text)
    text = _ASSIGNED.sub(rf"\1{_REMOVED}", text)
    text = _OPTION.sub(rf"\1{_REMOVED}", text)
    return without_user(_FORMS.sub(_REMOVED, text))


def _without_keys(text: str) -> str:
    """Replace what is between the first and the last line of a private key; to the end if the last line is missing."""
    kept, place = [], 0
    while (begin := text.find(_KEY_BEGINS, place)) >= 0:
        begin += len(_KEY_BEGINS)
        end = text.find(_KEY_ENDS, begin)
        end = len(text) if end < 0 else end
        kept += [text[place:begin], _REMOVED]
        place = text.find("\n", end)  # the last line has the words of the first
        place = len(text) if place < 0 else place
        kept.append(text[end:place])
    return "".join([*kept, text[place:]])


def telling(assignments: Iterable[str]) -> dict[str, str]:
    """Return the variables of NAME=value that influence a run, without those that look like a secret."""
    pairs = (text.partition("=") for text in assignments)
    return {
        name: without_user(value)[:1000]
        for name, _, value in pairs
        if name.startswith(_PREFIXES) and not is_secret(name, value)
    }
