"""The shim, a process that supervises one attempt on this node, and the agent's side: pool, controller, records."""
