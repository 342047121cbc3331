"""Choice of ``auto`` in a situation, and its reason: by measurements if there are any, otherwise by the cost model.

Pure but for ``tuning_file``, the table on disk.
"""
