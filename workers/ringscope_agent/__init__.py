"""The node agent: brings a node into the state that the server wants and reports what its ranks did."""
