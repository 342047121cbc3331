"""Results of other tools on the command line: their facts, their judgement, and a site's own expected values."""
