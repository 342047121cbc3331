"""What every tier shares."""

from hypothesis import settings

# How long an example takes says something about this machine's other work, and nothing about the code.
settings.register_profile("ringscope", deadline=None)
settings.load_profile("ringscope")
