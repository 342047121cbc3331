"""Who runs where and when: a pure plan of a snapshot of nodes and jobs, and the snapshot read from the tables.

``scheduler`` carries it out; what people ask before they submit is answered from the same plan.
"""
