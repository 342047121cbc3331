"""ETag and If-Match."""

import pytest

from ringscope_server.http.etag import etag, require_match
from ringscope_server.http.problems import Problem


@pytest.mark.parametrize("sent", [None, "*", '"7"', '"6", "7"'])
def test_the_revision_that_was_read_may_be_changed(sent: str | None) -> None:
    assert etag(7) == '"7"'
    require_match(sent, 7)


@pytest.mark.parametrize("sent", ['"6"', "7", 'W/"7"', "", '"77"'])
def test_another_revision_is_refused_with_the_remedy(sent: str) -> None:
    with pytest.raises(Problem) as caught:
        require_match(sent, 7)
    assert (caught.value.document.status, caught.value.document.code) == (412, "changed_meanwhile")
    assert "read it again" in caught.value.document.detail
