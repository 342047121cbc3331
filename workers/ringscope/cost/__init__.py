"""The cost model: the time of a schedule on a described cluster, and parameters fitted to a real one.

Pure: computed, never measured. Measurements enter as rows, for a fit or a comparison.
"""
