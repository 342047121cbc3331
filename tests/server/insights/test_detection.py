"""The server's looks for problems of running jobs have pauses that grow with the time of a look."""

from ringscope_server.background.detection import rest_seconds


def test_looks_are_a_second_apart_and_take_at_most_half_of_the_time_unless_a_hang_would_be_late() -> None:
    assert [rest_seconds(took) for took in (0.0, 0.25, 0.5, 1.5, 9.0)] == [1.0, 0.75, 0.5, 1.5, 2.0]
