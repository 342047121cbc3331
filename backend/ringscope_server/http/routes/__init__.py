"""The routes: a file for each noun, which reads the request, calls what does it, and shapes the answer."""
