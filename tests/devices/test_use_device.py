"""Choosing a device: what runs there, and what is said where there is none."""

import logging

import numpy as np
import pytest

import linkprior as lp
from linkprior.errors import ParameterError
from linkprior.kernels import device
from linkprior.solvers.device_admm import DeviceAdmm


def test_an_unknown_device_is_refused():
    with pytest.raises(ParameterError, match="cpu, cuda"), device.use_device("gpu"):
        pass


def test_without_a_gpu_one_line_says_so_and_the_cpu_works(caplog):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    with caplog.at_level(logging.WARNING, "linkprior"), device.use_device("cuda"):
        assert device.current_device() == "cpu"
    assert len(caplog.messages) == 1
    assert "no GPU can be used" in caplog.messages[0]


def test_the_device_is_left_when_the_body_ends():
    with device.use_device("cpu"):
        assert device.current_device() == "cpu"
    with device.use_device(None):
        assert device.current_device() == "cpu"


def test_tri_degree_fitted_on_a_device_agrees_with_the_cpu(monkeypatch):
    """torch on the CPU stands in for a GPU: the same tensors, the same text."""
    pytest.importorskip("torch", reason="torch is not installed")
    net = lp.planted_network(80, seed=2)
    model = lp.make("tri-degree", solver="admm", n_starts=2)
    plain = model.fit(net).score_rows(0, net.n_nodes)
    made = []

    def stand_in(*args, device, **more):
        made.append(device)
        return DeviceAdmm(*args, device="cpu", **more)

    monkeypatch.setattr("linkprior.predictors.tri.DeviceAdmm", stand_in)
    monkeypatch.setattr("linkprior.predictors.tri.current_device", lambda: "cuda")
    there = lp.make("tri-degree", solver="admm", n_starts=2).fit(net).score_rows(0, net.n_nodes)
    assert made == ["cuda", "cuda"]
    np.testing.assert_allclose(there, plain, atol=1e-4 * np.abs(plain).max())
