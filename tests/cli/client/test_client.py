"""The client's pure parts, and its view of a real server."""

import json

import pytest
from tests.cli.conftest import Server

from ringscope.client import ApiProblemError, Client, ServerAwayError, StreamEvent, parse_events

TEXT = ": connected\nretry: 2000\n\nevent: log\nid: 7\ndata: {DATA}\n\ndata: {}\r\n\r\nevent: job\n\n"
EVENTS = [
    StreamEvent("comment", None, {}),
    StreamEvent("log", "7", {"text": "a\u2028b: c"}),
    StreamEvent("message", "7", {}),
]


@pytest.mark.parametrize("chunk_bytes", [1, 2, 7, 1000])
def test_events_come_out_whole_however_the_bytes_are_cut(chunk_bytes: int) -> None:
    data = json.dumps({"text": "a\u2028b: c"}, ensure_ascii=False)
    raw = TEXT.replace("{DATA}", data).encode()
    chunks = (raw[start : start + chunk_bytes] for start in range(0, len(raw), chunk_bytes))
    assert list(parse_events(chunks)) == EVENTS


def test_data_over_several_lines_is_joined() -> None:
    assert list(parse_events(iter([b'data: {"a":\ndata: 1}\n\n']))) == [StreamEvent("message", None, {"a": 1})]


def test_an_event_that_was_cut_off_is_not_delivered() -> None:
    assert list(parse_events(iter([b"event: job\ndata: {}\n"]))) == []


def test_the_same_key_gives_the_same_job(server: Server) -> None:
    body = {"name": "twice", "placement": {"ranks": 1}}
    with Client(server.url, server.admin_token) as client:
        first = client.submit(body, "key-1")
        assert client.submit(body, "key-1").id == first.id
        assert client.submit(body, "key-2").id != first.id
        with pytest.raises(ApiProblemError, match="used for another request") as refusal:
            client.submit(body | {"name": "other"}, "key-1")
    assert refusal.value.status == 409


def test_the_stream_resumes_where_it_stopped(server: Server) -> None:
    with Client(server.url, server.admin_token) as client:
        stream = client.stream(("jobs",))
        assert next(stream).name == "comment"
        first = client.submit({"name": "seen"}, "stream-1")
        event = next(event for event in stream if event.name == "job" and event.data["id"] == first.id)
        stream.close()
        missed = client.submit({"name": "missed"}, "stream-2")
        resumed = client.stream(("jobs",), event.id)
        assert next(resumed).name == "comment"
        # what was missed, or the order to read everything again; a keep-alive comment here means that it was lost
        event = next(resumed)
        assert event.name == "reset" or event.data.get("id") == missed.id, event
        resumed.close()


def test_the_log_and_rows_of_an_unknown_job_are_a_problem(server: Server) -> None:
    with Client(server.url, server.admin_token) as client:
        for read in (client.job, client.measurements, client.log):
            with pytest.raises(ApiProblemError) as refusal:
                read(999_999)
            assert refusal.value.sentences == ("There is no job 999999.",)


def test_something_else_behind_the_url_is_told(server: Server) -> None:
    with (
        Client(server.url + "/nowhere", server.admin_token) as client,
        pytest.raises((ApiProblemError, ServerAwayError)),
    ):
        client.nodes()
