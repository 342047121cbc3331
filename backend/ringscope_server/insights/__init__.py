"""Problems of a running job, found from its ranks' reports: ranks that are slow, late or wrong or stand still."""
