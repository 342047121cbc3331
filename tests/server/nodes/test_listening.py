"""The server measures a node's silence correctly even if its own process was stopped for a while."""

from datetime import timedelta

from tests.server.conftest import Clock

from ringscope_server.nodes.listening import MOST, STILL, Listening

LONG_SECONDS = STILL.total_seconds() + 10


def listening(clock: Clock) -> Listening:
    found = Listening(lambda: clock.elapsed)
    found.begin(clock())
    return found


def go_on(heard: Listening, clock: Clock, seconds: float, step_seconds: float = 1.0) -> None:
    """Let this much time pass, with a look after each step."""
    for _ in range(round(seconds / step_seconds)):
        clock.advance(step_seconds)
        heard.look(clock())


def silence_seconds(heard: Listening, clock: Clock, since: float) -> float:
    return heard.since(clock() - timedelta(seconds=since), clock()).total_seconds()


def test_a_process_that_runs_counts_all_of_a_silence(clock: Clock) -> None:
    heard = listening(clock)
    go_on(heard, clock, 60)
    assert silence_seconds(heard, clock, 16) == 16


def test_nothing_counts_from_before_the_start(clock: Clock) -> None:
    heard = listening(clock)
    go_on(heard, clock, 3)
    assert silence_seconds(heard, clock, 3_600) == 3


def test_after_a_pause_silence_counts_anew(clock: Clock) -> None:
    heard = listening(clock)
    go_on(heard, clock, 30)
    clock.advance(LONG_SECONDS)
    heard.look(clock())
    assert silence_seconds(heard, clock, LONG_SECONDS + 14) == 0
    go_on(heard, clock, 5)
    assert silence_seconds(heard, clock, LONG_SECONDS + 19) == 5
    assert silence_seconds(heard, clock, 2) == 2, "what was heard after the pause is told by the clock alone"


def test_pauses_that_follow_each_other_put_a_loss_off_by_a_few_looks_only(clock: Clock) -> None:
    """A process that always stands still would else give every node another grace at each look."""
    heard = listening(clock)
    go_on(heard, clock, 30)
    cut_at, looks = clock(), 0
    while heard.since(cut_at, clock()) <= timedelta(seconds=15):
        clock.advance(LONG_SECONDS)
        heard.look(clock())
        looks += 1
    assert looks == 2 + timedelta(seconds=15) // MOST


def test_a_node_that_speaks_between_long_pauses_is_never_lost(clock: Clock) -> None:
    heard = listening(clock)
    for _ in range(20):
        spoke_at = clock()
        clock.advance(LONG_SECONDS)
        heard.look(clock())
        assert heard.since(spoke_at, clock()) == timedelta(), "it had no time to be heard again"
