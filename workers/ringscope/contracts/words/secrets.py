"""Names and values of an environment that look like secrets. Pure."""

import re

_NAME = re.compile(r"TOKEN|SECRET|PASS|PWD|KEY|CRED|AUTH|COOKIE|JWT|PRIVATE|CERT|SIGNATURE|SESSION", re.IGNORECASE)
_INSIDE = re.compile(
    r"(token|secret|passw(or)?d|passphrase|api_?key|access_?key|credentials?|auth(orization)?|bearer)\W", re.IGNORECASE
)
_USER_IN_URL = re.compile(r"(?<=://)[^/\s@]+@")


def is_secret(name: str, value: str) -> bool:
    """Return whether a variable's name, or an assignment inside its value, looks like a secret."""
    return _NAME.search(name) is not None or _INSIDE.search(value) is not None


def without_user(text: str) -> str:
    """Return the text without the user and password of its URLs."""
    return _USER_IN_URL.sub("", text)
