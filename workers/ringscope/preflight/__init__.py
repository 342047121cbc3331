"""The judgement of a machine, and of a gang before its program runs: what it reaches against a baseline. Pure."""
