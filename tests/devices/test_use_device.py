"""Choosing a device: what runs there, and what is said where there is none."""

import logging

import pytest

from linkprior.errors import ParameterError
from linkprior.kernels import _engine as device


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
