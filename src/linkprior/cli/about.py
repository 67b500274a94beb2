"""`linkprior models`, `info` and `cite`: what there is, what runs it, whom to cite."""

from __future__ import annotations

import click

from linkprior._version import __version__


@click.command()
def models() -> None:
    """List the models."""
    from linkprior.predictors.registry import MODELS

    for name, entry in MODELS.items():
        click.echo(f"{name:16s} {entry.summary}")


@click.command()
def info() -> None:
    """Show versions and the machine, for a bug report."""
    import importlib.metadata as md
    import platform

    from linkprior.parallel import available_cores

    click.echo(f"linkprior {__version__}")
    click.echo(f"python {platform.python_version()} on {platform.platform()}")
    click.echo(f"cores {available_cores()}")
    for package in ("numpy", "scipy", "numba", "pandas", "safetensors", "click"):
        click.echo(f"{package} {md.version(package)}")


@click.command()
def cite() -> None:
    """Print how to cite the method and the software."""
    click.echo(
        "Method: Q. Tang, L. Tu, W. Wang, J. Xu. Network Inference by Learned Node-Specific Degree "
        f"Prior.\nSoftware: linkprior {__version__}, the linkprior developers, 2026 (CITATION.cff)."
    )
