"""Messages about events to receivers outside, as defined by Standard Webhooks."""
