"""The state of communicators as NCCL's RAS tells it, as text or JSON: ranks that do not answer or are behind. Pure."""
