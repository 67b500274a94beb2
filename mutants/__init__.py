"""Mutation score: small errors put into the code at random, and the share that tests notice."""
