"""The node agent: inventory, launch, relay of records, exporter."""
