"""Every metric that agents and server export: declared once, here. docs/metrics.md is made of these tables."""
