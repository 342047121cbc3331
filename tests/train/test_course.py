"""A job with parameter servers begins and ends at certain steps, and all of its ranks meet at others."""

from ringscope.contracts.training import TrainingSpec
from ringscope.train.course import course_of
from ringscope.train.progress import Progress


def course(progress: Progress, **options: object):
    spec = TrainingSpec.model_validate({"strategy": "parameter_server", "epochs": 3} | options)
    return course_of(spec, progress, steps_per_epoch=10)


def meetings(found) -> list[int]:
    return [clock for clock in range(found.clock + 1, found.last + 1) if found.meets(clock)]


def test_all_meet_at_the_end_of_each_epoch() -> None:
    assert meetings(course(Progress())) == [10, 20, 30]


def test_all_meet_where_a_checkpoint_is_written_and_at_the_last_step() -> None:
    assert meetings(course(Progress(), checkpoint_every_steps=4, max_steps=15)) == [4, 8, 10, 12, 15]


def test_a_job_that_goes_on_inside_an_epoch_meets_at_its_end() -> None:
    """The end of the epoch is right even if the earlier job had epochs of another length."""
    assert meetings(course(Progress(step=14, epoch=1, index=4))) == [20, 30]
    assert meetings(course(Progress(step=103, epoch=2, index=3))) == [110]


def test_a_job_that_is_done_has_no_step_left() -> None:
    found = course(Progress(step=30, epoch=3, index=0))
    assert found.clock == found.last == 30
    assert course(Progress(step=30, epoch=1, index=0), max_steps=7).last == 30
