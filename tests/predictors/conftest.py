import os

import pytest


@pytest.fixture(scope="module", autouse=True)
def kernels_that_are_fast_enough():
    """Where compiling is switched off (coverage runs), NumPy is faster than plain Python."""
    with pytest.MonkeyPatch.context() as patch:
        if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
            patch.setenv("LINKPRIOR_KERNELS", "portable")
        yield
