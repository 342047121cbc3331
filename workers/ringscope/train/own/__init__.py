"""Functions in Python files of the user's own, which build a model or load a dataset."""

from ringscope.train.own.file import OwnFunction, below, first_line

__all__ = ["OwnFunction", "below", "first_line"]
