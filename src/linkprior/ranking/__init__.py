"""Ranked pairs: which may be ranked, which are best, and the list they make."""
