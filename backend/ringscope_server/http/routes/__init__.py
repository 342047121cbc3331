"""The routes: a file for each noun, which reads the request, calls the service, and shapes the answer."""
