"""The diagnosis that names the node, link or boundary that slows a collective: belief in, next round out. Pure."""
