"""Experiments over many networks: the benchmark, and the three of the paper."""
