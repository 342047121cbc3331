"""Files of other programs: what each one is, by what is in it, and the explanation of each kind. Pure."""
