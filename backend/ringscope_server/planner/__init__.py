"""Results of the cost model: prices, their sensitivities, parameters from a job's rows, and worked examples."""
