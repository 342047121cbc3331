"""Local SGD: every rank makes steps of its own, and now and then all ranks average their parameters.

With samples of their own this is federated averaging (McMahan et al., "Communication-Efficient Learning of Deep
Networks from Decentralized Data", 2017); with outer momentum it is DiLoCo (Douillard et al., 2023).
"""
