"""Choosing parameters on edges hidden inside the training network."""
