"""TensorFlow's strategies of tf.distribute, as peers: the same model, data, batch and optimizer, their own sums.

TensorFlow is imported by these modules only, and only where a job asks for one of its strategies.
"""
