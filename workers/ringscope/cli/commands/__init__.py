"""Commands of `ringscope`, a module for each group of them."""
