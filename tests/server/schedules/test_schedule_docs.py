"""docs/schedules.md says what is."""

import json
import re
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

from tests.server.conftest import Server

from ringscope_server.schedules.firing import LATE_AFTER
from ringscope_server.schedules.times import check_cron, upcoming

PAGE = (Path(__file__).parents[3] / "docs" / "schedules.md").read_text()


def test_the_times_are_those_of_the_page() -> None:
    rows = re.findall(r"^\| `(.*)` \| (\d{4}-\d\d-\d\d) \| ([\d: ]*)\|$", PAGE, re.MULTILINE)
    assert len(rows) == 6
    for cron, day, shown in rows:
        start = datetime.fromisoformat(day).replace(tzinfo=UTC)
        later = islice(upcoming(cron, "Europe/Berlin", start - timedelta(seconds=1)), 10)
        times = [time for time in later if time < start + timedelta(days=1)]
        assert [f"{time:%H:%M}" for time in times] == shown.split(), f"{cron} on {day}"


def test_the_forms_of_the_page_are_taken() -> None:
    for day_of_month, day_of_week in (("1,15", "*"), ("L", "*"), ("LW", "*"), ("*", "5L"), ("*", "MON#1"), ("*", "7")):
        check_cron(f"*/10 9-17 {day_of_month} * {day_of_week}")


async def test_the_body_of_the_page_is_taken(server: Server) -> None:
    (body,) = re.findall(r"-d '(.*?)'", PAGE, re.DOTALL)
    response = await server.admin.post("/api/v1/schedules", json=json.loads(body))
    assert response.status_code == 201, response.text


def test_an_hour_is_an_hour() -> None:
    assert "less than an hour old" in PAGE
    assert timedelta(hours=1) == LATE_AFTER
