import pytest
from tests.engine.fakes.fixture import OneOf

from ringscope.engine.errors import EngineError, OutOfMemoryError
from ringscope.engine.waiting.failures import share


def test_a_failure_of_one_rank_is_raised_on_all():
    own = OutOfMemoryError("rank 1 has no memory left.")
    with pytest.raises(OutOfMemoryError) as raised:
        share(OneOf(rank=1, size=3, answers=[["", str(own), ""]]), own)
    assert raised.value is own
    with pytest.raises(EngineError, match=r"^rank 1 has no memory left\.$"):
        share(OneOf(rank=0, size=3, answers=[["", str(own), ""]]), None)
    share(OneOf(rank=0, size=3), None)
