"""The factor that keeps float16's small gradients."""

from ringscope.train.loss_scale import LossScale


def test_it_halves_after_an_overflow_and_doubles_after_many_good_steps():
    scale = LossScale(8.0)
    scale.note(False)
    assert scale == LossScale(4.0, 0)
    for _ in range(1999):
        scale.note(True)
    assert scale == LossScale(4.0, 1999)
    scale.note(True)
    assert scale == LossScale(8.0, 0)


def test_an_overflow_begins_the_count_anew():
    scale = LossScale(8.0, good_steps=1999)
    scale.note(False)
    scale.note(True)
    assert scale == LossScale(4.0, 1)


def test_it_never_falls_below_one():
    scale = LossScale(1.0)
    scale.note(False)
    assert scale.value == 1.0
