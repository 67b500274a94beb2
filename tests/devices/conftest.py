"""Devices to test on: torch on the CPU always, a GPU where there is one."""

import pytest


@pytest.fixture(params=["cpu", "cuda"])
def device(request):
    torch = pytest.importorskip("torch", reason="torch is not installed: nothing runs on a device")
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("there is no GPU here")
    return request.param


@pytest.fixture
def stand_in(monkeypatch):
    """torch on the CPU stands in for a GPU: the same tensors, the same text."""
    torch = pytest.importorskip("torch", reason="torch is not installed: nothing runs on a device")
    from linkprior import _config
    from linkprior.kernels.torch import best, ops, stack

    used = []

    def found(name):
        used.append(name)
        return torch.device("cpu")

    for module in (ops, best, stack):
        monkeypatch.setattr(module, "find_device", found)
    with _config.using(device="cuda"):
        yield used
