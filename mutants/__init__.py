"""Mutation score: small errors put into the code at random, and the share that tests notice.

Why not mutmut (3.8.1): it leaves decorated functions alone, so no compiled kernel, property or
cached function has a mutant, nor does anything outside functions. Why not cosmic-ray (8.7): it runs
one test command for every mutant and cannot choose tests by the lines they run, and half of its
mutants here are in annotations (`int | None`) or in the wording of messages.
"""
