"""Text as markup: whatever a job's text has, it stays text. Pure."""

import re
from html import escape

# Control characters, other line separators, invisible and bidirectional marks, tags, unpaired surrogates.
_UNSEEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"
    r"\U000e0000-\U000e007f\ud800-\udfff]"
)


def plain(text: object) -> str:
    """Return a text in one line, with a visible code for each character that is not seen."""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", " ".join(str(text).split()))


def shown(text: object) -> str:
    """Return a text that is safe in an element and in an attribute with quotes."""
    return escape(plain(text), quote=True)
