"""What the cost model says: prices, what they hang on, parameters from a job's rows, and worked examples."""
