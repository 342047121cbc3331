"""What runs unasked: hearing of other servers, upkeep of tokens, metrics after each pass, looks for what is wrong.

The scheduler and the courier of webhooks have packages of their own.
"""
