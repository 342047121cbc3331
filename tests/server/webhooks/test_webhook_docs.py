"""docs/webhooks.md says what is."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.server.conftest import Clock, Server
from tests.server.receiver import LOOPBACK, running_receiver
from tests.server.webhooks.test_deliver_webhooks import allow, make, send

from ringscope_server.__main__ import read_settings
from ringscope_server.events.types import WORDS
from ringscope_server.webhooks import courier, deliveries, sender

PAGE = (Path(__file__).parents[3] / "docs" / "webhooks.md").read_text()
UNITS = {"s": 1, "min": 60, "h": 3600}


def test_the_types_are_those_of_the_page() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE, re.MULTILINE)
    assert {noun: tuple(words.split(", ")) for noun, words in rows} == {noun: tuple(WORDS[noun]) for noun in WORDS}


def test_the_numbers_are_those_of_the_page() -> None:
    words = " ".join(PAGE.split())
    (pauses,) = re.findall(r"again after (.*?), then gives up", words)
    found = re.findall(r"(\d+) (s|min|h)\b", pauses)
    assert tuple(int(number) * UNITS[unit] for number, unit in found) == deliveries.RETRY_SECONDS
    assert f"within {sender.TIMEOUT_SECONDS:.0f} seconds" in words
    assert f"Up to {deliveries.AT_ONCE_TO_ONE} messages at once go to one webhook, {courier.AT_ONCE} in all" in words
    assert f"kept for {deliveries.KEPT_FOR.days} days" in words
    assert sender.ANSWER_BYTES == 1024


def test_the_flag_of_the_page_is_taken() -> None:
    (flags,) = re.findall(r"ringscope server (.*)", PAGE)
    assert len(read_settings(flags.split()).webhook_private_addresses) == 2


async def test_the_body_and_the_receiver_of_the_page_work(server: Server, clock: Clock) -> None:
    allow(server, LOOPBACK)
    clock.go_to(datetime.now(UTC))
    (body,) = re.findall(r"-d '(.*?)'", PAGE, re.DOTALL)
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    async with running_receiver() as receiver:
        webhook = await make(server, receiver.url(), *json.loads(body)["events"], "node.registered")
        await server.node("n7")
        await send(server)
        (message,) = receiver.messages
    assert names["receive"](webhook["secret"], message.headers, message.body) == "node.registered: node n7"
