"""The node agent: makes a node what the server says it should be, and tells the server what its ranks did."""
