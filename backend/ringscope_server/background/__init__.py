"""Background tasks: notices of other servers, upkeep of tokens, metrics after each pass, detection of problems.

The scheduler and the courier of webhooks have packages of their own.
"""
