"""TensorFlow's strategies of tf.distribute, as peers: the same model, data, batch and optimizer, their own sums.

Only these modules import TensorFlow, and only if a job uses one of its strategies.
"""
