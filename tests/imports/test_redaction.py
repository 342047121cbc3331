"""Secrets leave texts and environments before anything is stored."""

import time

import pytest

from ringscope.imports.redaction import redacted, telling


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("export HF_TOKEN=abc123def", "abc123def"),
        ("python run.py --api-key s3cr3t-value --lr 1", "s3cr3t-value"),
        ("Authorization: Bearer abcdefgh12345678", "abcdefgh12345678"),
        ("git clone https://me:pw0rd@example.org/x", "pw0rd"),
        ("key AKIAABCDEFGHIJKLMNOP used", "AKIAABCDEFGHIJKLMNOP"),
        ('{"env":["WANDB_API_KEY=0123456789abcdef"]}', "0123456789abcdef"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----", "MIIB"),
        ("DB_PASSWORD: hunter2", "hunter2"),
    ],
)
def test_a_secret_is_removed(text: str, secret: str) -> None:
    assert secret not in redacted(text)
    assert "[removed]" in redacted(text) or "@" in text


def test_a_table_stays_as_it_is() -> None:
    row = "    33554432       2097152    double    none      -1    951.2   35.28   17.64      0    967.5   34.68    N/A"
    assert redacted(row) == row


def test_only_variables_that_influence_a_run_are_kept() -> None:
    told = ["NCCL_ALGO=Ring", "HOME=/root", "NCCL_SECRET_KEY=x", "UCX_NET_DEVICES=mlx5_0:1", "OMPI_MCA_x=token=abc"]
    assert telling(told) == {"NCCL_ALGO": "Ring", "UCX_NET_DEVICES": "mlx5_0:1"}


def test_no_text_makes_it_slow() -> None:
    began = time.process_time()
    for piece in ("token", "a-", "--key ", "=:", "-----BEGIN PRIVATE KEY-----", "eyJa.", "token=", "://a"):
        redacted((piece * 50_000)[:50_000])
    assert time.process_time() - began < 5
