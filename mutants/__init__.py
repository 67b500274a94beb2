"""Small errors put into the code on purpose: which do the tests notice (docs/reliability.md)?

Why not mutmut (3.8 was looked at): it never touches a decorated function other than a static or
class method, so every compiled kernel, property and cached function stays as it is; nor anything
outside functions, so constants, defaults of fields and tables do too; and the trampoline it puts
around every other function, with all its mutants beside it, is no code that numba can compile.
Here the code object of the one function is exchanged in a forked process instead, where every
module and test is loaded already.
"""
