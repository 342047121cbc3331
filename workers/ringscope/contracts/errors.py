"""Expected errors: a user sees one sentence for each, never a traceback."""


class UserError(Exception):
    """Something the user can mend: each argument is one sentence that names the field and the remedy."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """The sentences as given."""
        return tuple(str(sentence) for sentence in self.args)
