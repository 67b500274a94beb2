import os

import pytest

from linkprior import _config


@pytest.fixture(scope="module", autouse=True)
def kernels_that_are_fast_enough():
    """Where compiling is switched off (coverage runs), NumPy is faster than plain Python."""
    uncompiled = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
    with _config.using(kernels="portable" if uncompiled else _config.current().kernels):
        yield
