"""Mutation score: small errors put into the code at random, and the share that tests notice.

mutmut 3.8.1 and cosmic-ray 8.7.0 were tried on evaluation/metrics.py. mutmut works on it (299
mutants, 283 killed), chooses tests and forks; but it leaves decorated functions alone, so no
compiled kernel, property or cached function has a mutant, nor does anything outside functions, and
it draws no sample. cosmic-ray lists 691 mutants of that file, 550 of them one operator for each of
the others, and runs the same test command for every one; it does not choose tests by their lines.
"""
