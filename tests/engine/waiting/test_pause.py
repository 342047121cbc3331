"""A thread that waits for other ranks gives its core away, or sleeps if it was asked to."""

import threading

import pytest

from ringscope.engine.waiting import pause


@pytest.fixture
def pauses(monkeypatch):
    found = []
    monkeypatch.setattr(pause.time, "sleep", lambda seconds: found.append("sleeps"))
    monkeypatch.setattr(pause.os, "sched_yield", lambda: found.append("yields"))
    return found


def test_a_thread_offers_its_core(pauses):
    pause.pause()
    assert pauses == ["yields"]


def test_a_thread_that_was_asked_sleeps_as_long_as_it_is_wanted_and_others_do_not(pauses):
    wanted = iter([True, False])

    def wait():
        pause.sleep_while(lambda: next(wanted))
        pause.pause()
        pause.pause()

    thread = threading.Thread(target=wait)
    thread.start()
    thread.join()
    pause.pause()
    assert pauses == ["sleeps", "yields", "yields"]


def test_a_wait_of_seconds_leaves_the_core_until_it_is_done(pauses):
    done = iter([False, False, True])
    pause.sleep_until(lambda: next(done))
    assert pauses == ["sleeps", "sleeps"]
