"""Real networks by name: the catalogue, and fetching what is in it."""
