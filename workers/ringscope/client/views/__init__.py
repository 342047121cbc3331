"""The views: what the command line reads of the server's answers. scripts/client_views.py writes all but this file."""
