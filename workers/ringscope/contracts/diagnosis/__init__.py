"""The specification and the records of a job of kind diagnosis. Pure."""
