"""The paper's experiments, from its data to its figures and its table."""
