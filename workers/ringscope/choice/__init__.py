"""What ``auto`` takes in a situation, and why: by what was measured there, else by the cost model.

Pure but for ``tuning_file``, the table on disk.
"""
