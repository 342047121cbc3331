arrays = {}  # address -> NumPy array
pending = []  # enqueued, not yet run
device = None
