"""`linkprior models`, `formats`, `info` and `cite`: what there is, what runs it, whom to cite."""

from __future__ import annotations

from dataclasses import fields

import click

from linkprior._version import __version__

_BIBTEX = """\
@misc{tang2016network,
  title  = {Network Inference by Learned Node-Specific Degree Prior},
  author = {Tang, Qingming and Tu, Lifu and Wang, Weiran and Xu, Jinbo},
  year   = {2016},
  note   = {preprint}
}

@software{linkprior,
  title   = {linkprior: infer the missing links of a network from its observed edges},
  author  = {{The linkprior developers}},
  version = {%s},
  year    = {2026}
}"""


@click.command()
@click.argument("name", required=False)
def models(name: str | None) -> None:
    """List the models, or explain one model and its parameters."""
    from linkprior.predictors import registry

    if name is not None:
        from linkprior.predictors.base import sections

        model = registry.find(name)
        parts = sections(model.__doc__)
        click.echo(f"{model.name}: {parts['']}\n\n{'parameter':12s} default")
        for field in fields(model):
            click.echo(f"{field.name:12s} {field.default}")
        click.echo("\n" + parts.get("Parameters", ""))
        return
    for one in registry.models():
        origin = "" if one.package == "linkprior" else f" ({one.package})"
        click.echo(f"{one.name:16s} {one.summary}{origin}")
    click.echo("")
    for one in registry.wrappers():
        click.echo(f"{one.name:16s} {one.summary}")
    click.echo("\nParameters of one: linkprior models NAME. Set them with --set KEY=VALUE.")


@click.command()
def formats() -> None:
    """List the file formats that are read and written."""
    from linkprior.io.formats import FORMATS
    from linkprior.io.writers import FORMATS as WRITTEN

    click.echo("Read (recognised by content and name; --input-format NAME overrides):")
    for name, readable in FORMATS.items():
        click.echo(f"  {name:14s} {readable.summary}")
    click.echo("gzip, bzip2, xz and zip are unpacked automatically.\n\nWritten (--format NAME):")
    for name, made in WRITTEN.items():
        click.echo(f"  {name:14s} {made.summary}")


@click.command()
def info() -> None:
    """Show versions and the machine, for a bug report."""
    import platform

    from linkprior import machine
    from linkprior.parallel import available_cores

    for package, version in machine.versions().items():
        click.echo(f"{package} {version}")
    free = machine.available_memory()
    click.echo(f"system {platform.platform()}")
    click.echo(f"cores {available_cores()}")
    click.echo(f"free memory {free / 1e9:.1f} GB" if free is not None else "free memory unknown")


@click.command()
@click.option("--bibtex", is_flag=True, help="As BibTeX entries.")
def cite(bibtex: bool) -> None:
    """Print how to cite the method and the software."""
    if bibtex:
        click.echo(_BIBTEX % __version__)
        return
    from linkprior.citation import CITATION

    click.echo(f"{CITATION}\nAs BibTeX: linkprior cite --bibtex")
