"""Routes: parse, authorise, call a service, answer."""
