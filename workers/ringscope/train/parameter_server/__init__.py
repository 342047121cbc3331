"""Training with parameter servers: some ranks hold the parameters, the others push gradients and pull parameters.

Source: M. Li et al., Scaling Distributed Machine Learning with the Parameter Server, OSDI 2014; bounded staleness: Q.
Ho et al., More Effective Distributed ML via a Stale Synchronous Parallel Parameter Server, NIPS 2013.
"""
