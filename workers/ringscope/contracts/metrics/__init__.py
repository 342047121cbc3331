"""Every metric that agents and server export, declared once; docs/metrics.md is generated from these tables."""
