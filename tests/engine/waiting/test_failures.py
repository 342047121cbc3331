import pytest
from tests.engine.fakes.fixture import OneOf

from ringscope.engine.errors import EngineError, OutOfMemoryError
from ringscope.engine.waiting.failures import share, shared_failure

REFUSED, LACKING = (False, "rank 0 cannot."), (True, "rank 1 has no memory left.")


def test_a_failure_of_one_rank_is_raised_on_all():
    own = OutOfMemoryError(LACKING[1])
    with pytest.raises(OutOfMemoryError) as raised, shared_failure(OneOf(1, 3, [[None, LACKING, None]])):
        raise own
    assert raised.value is own
    with (
        pytest.raises(OutOfMemoryError, match=r"^rank 1 has no memory left\.$"),
        shared_failure(OneOf(0, 3, [[None, LACKING, None]])),
    ):
        pass
    with shared_failure(OneOf(0, 3)):
        pass


@pytest.mark.parametrize(("rank", "own"), [(0, EngineError(REFUSED[1])), (1, OutOfMemoryError(LACKING[1])), (2, None)])
def test_ranks_that_fail_for_different_reasons_do_not_part(rank, own):
    with pytest.raises(EngineError, match=r"^rank 0 cannot\.$") as raised:
        share(OneOf(rank, 3, [[REFUSED, LACKING, None]]), own)
    assert type(raised.value) is EngineError, "who lacks memory would try again with less, alone"
