"""Names, units and formats that every part shares: collectives, data types, devices, sizes, labels. Pure."""
