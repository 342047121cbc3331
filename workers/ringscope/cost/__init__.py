"""The cost model: what a schedule takes on a described cluster, and the parameters that make it speak of a real one.

Pure: computed, never measured. Figures of what was measured enter as rows, to be fitted or compared.
"""
