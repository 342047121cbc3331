"""A diagnosis on its ranks: rank 0 plans rounds of pairs, the ranks of each pair measure the link between them."""
