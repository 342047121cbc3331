"""Messages to somebody outside about what happens here, as Standard Webhooks has them."""
