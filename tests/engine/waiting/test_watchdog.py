import threading

from ringscope.engine.waiting.watchdog import Watchdog

PATIENCE_SECONDS = 30


def test_a_call_inside_another_is_named_and_the_outer_one_is_watched_again():
    bites, bitten = list[str](), threading.Event()

    def bite():
        bites.append(watchdog.inside)
        bitten.set()

    watchdog = Watchdog(bite, timeout_seconds=0.05)
    with watchdog.guard("the outer"):
        with watchdog.guard("the inner"):
            assert watchdog.inside == "the inner"
        assert watchdog.inside == "the outer"
        assert bitten.wait(PATIENCE_SECONDS)
    assert watchdog.inside == ""
    watchdog.close()
    assert bites[-1] == "the outer"
