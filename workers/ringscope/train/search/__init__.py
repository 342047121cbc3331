"""The runs of a strategy search on its ranks; what they measure goes to ``ringscope.search``, which decides."""
