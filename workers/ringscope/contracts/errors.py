"""Expected errors: a user sees one sentence for each, never a traceback."""


class UserError(Exception):
    """An error that the user can fix: each argument is one sentence that names the field and the remedy."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return the sentences as given."""
        return tuple(str(sentence) for sentence in self.args)
