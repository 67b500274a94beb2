"""Every model by name, those of other packages too.

A class of this folder is a model when it declares a `name`, as in `name = "l3"`, or
a model over models when it declares a `kind`. It is imported, with what it needs, when it is asked
for; listing names imports none.

Another package adds a model by an entry point of the group `linkprior.predictors`: its name there
is the model's, its value `module:Class`, a LinkPredictor.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from linkprior.errors import LinkpriorError, ParameterError, StoreError, nearest, refuse_unknown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from linkprior.predictors.base import LinkPredictor

GROUP = "linkprior.predictors"
DEFAULT_MODEL = "auto"  # what is taken where no model is named

# Files in the order in which their models are listed; those not named here come after, by name.
_ORDER = [
    *("auto", "tri_degree", "tri", "completion", "local", "paths", "spectral", "sbm"),
    "degree_prior",
]
_DECLARED = re.compile(r'\n(?:class (\w+)|    (name|kind)(?:: ClassVar\[str\])? = "([\w-]+)")')


def declared(folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Return what classes in a folder declare as `name`, and as `kind`: name → module and class.

    Files are read, not imported: it takes a millisecond, and no list can be out of date.
    """
    tables: dict[str, dict[str, str]] = {"name": {}, "kind": {}}
    files = {path.stem: path for path in sorted([*folder.glob("*.py"), *folder.glob("*/auto.py")])}
    for stem in sorted(files, key=lambda stem: [*_ORDER, stem].index(stem)):
        module = ".".join(files[stem].relative_to(folder).with_suffix("").parts)
        cls = ""
        for class_name, attribute, name in _DECLARED.findall(files[stem].read_text("utf-8")):
            cls = class_name or cls
            if name:
                tables[attribute][name] = f"{module}:{cls}"
    return tables["name"], tables["kind"]


# All models; and the meta-models, named KIND:NAME, of which classes are made for each name.
MODELS, WRAPPERS = declared(Path(__file__).parent)


class ModelInfo(NamedTuple):
    """One line of the list of models: its name, what it is, and the package it comes from."""

    name: str
    summary: str
    package: str


def models() -> list[ModelInfo]:
    """Return all models, built in first, then those of other installed packages.

    Returns
    -------
    list of ModelInfo
        Named tuples (name, summary, package). A model of another package that cannot be used says
        why in place of its summary.

    Examples
    --------
    >>> import linkprior as lp
    >>> [model.name for model in lp.models()][:3]
    ['auto', 'tri-degree', 'tri']
    """
    listed = [ModelInfo(name, _line(_built_in(at)), "linkprior") for name, at in MODELS.items()]
    for point in _plugins():
        try:
            listed.append(ModelInfo(point.name, _line(_load(point)), _package(point)))
        except ParameterError as problem:
            listed.append(ModelInfo(point.name, f"cannot be used: {problem}", _package(point)))
    return listed


def wrappers() -> list[ModelInfo]:
    """Return the meta-models, named KIND:NAME."""
    return [
        ModelInfo(f"{kind}:NAME", _line(_built_in(at)), "linkprior")
        for kind, at in WRAPPERS.items()
    ]


def names() -> list[str]:
    """Return the names of all models, without importing any."""
    return list(dict.fromkeys([*MODELS, *(point.name for point in _plugins())]))


def tunable() -> list[str]:
    """Return the built-in models with parameters to tune."""
    return [name for name, at in MODELS.items() if _built_in(at).search_space]


def find(name: str) -> type[LinkPredictor]:
    """Return the class of a model, or an error with the nearest names."""
    if not isinstance(name, str):
        raise ParameterError(f"a model is chosen by its name, got {name!r}")
    kind, colon, base = name.partition(":")
    if colon and kind in WRAPPERS:
        if kind in base.split(":")[:-1]:
            raise ParameterError(f"{kind}:{base}: {kind} is given twice, and once is enough")
        over: type[LinkPredictor] = _built_in(WRAPPERS[kind]).over(find(base))
        return over
    if name in MODELS:
        return _built_in(MODELS[name])
    points = [point for point in _plugins() if point.name == name]
    if points:
        return _load(points[0])
    available = names()
    wrapped = [f"{kind}:{base}" for kind in WRAPPERS for base in available] if colon else []
    others = [f"{kind}:NAME" for kind in WRAPPERS]
    raise ParameterError(
        f"no model is called {name!r}.{nearest(name, [*available, *wrapped])} "
        f"There are: {', '.join([*available, *others])}"
    )


def _built_in(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(f"linkprior.predictors.{module}"), name)


def _line(model: type[LinkPredictor]) -> str:
    text = model.summary_line or inspect.cleandoc(model.__dict__.get("__doc__") or "")
    return text.partition("\n")[0].strip()


# ---------------------------------------------------------------------- other packages


def _plugins() -> Iterator[EntryPoint]:
    """Yield what other packages offer; one found twice on the path counts once."""
    from importlib.metadata import entry_points

    seen = set()
    for point in entry_points(group=GROUP):
        if (entry := (point.name, point.value, _package(point))) not in seen:
            seen.add(entry)
            yield point


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.module.partition(".")[0]


def _load(point: EntryPoint) -> type[LinkPredictor]:
    """Import the class of an entry point; an error names its package."""
    from linkprior.predictors.base import LinkPredictor

    model = f"the model {point.name!r} of the package {_package(point)}"
    if point.name in MODELS or ":" in point.name:
        why = "a colon is reserved for meta-models" if ":" in point.name else "a built-in model's"
        raise ParameterError(f"{model} needs another name, as this one is taken ({why})")
    packages = sorted(_package(one) for one in _plugins() if one.name == point.name)
    if len(packages) > 1:
        raise ParameterError(
            f"the model {point.name!r} is offered by several packages, {', '.join(packages)}: "
            "uninstall all but one"
        )
    try:
        loaded = point.load()
    except Exception as problem:
        raise ParameterError(
            f"{model} cannot be imported ({point.value}): {type(problem).__name__}: {problem}"
        ) from problem
    if not (isinstance(loaded, type) and issubclass(loaded, LinkPredictor)):
        raise ParameterError(f"{model} is no subclass of linkprior.LinkPredictor ({point.value})")
    if loaded.name != point.name:
        raise ParameterError(
            f"{model} calls itself {loaded.name!r}: the entry point and the attribute `name` of "
            f"its class ({point.value}) must agree, so that saved models find it again"
        )
    return loaded


# ---------------------------------------------------------------------- making and loading


def make(name: str, /, **params: Any) -> LinkPredictor:
    """Make a predictor by name.

    Parameters
    ----------
    name
        One of `linkprior.models()`, or degree:NAME or consensus:NAME over any of them.
    **params
        Its parameters; those not given keep their defaults.

    Returns
    -------
    LinkPredictor
        Not fitted yet.

    Examples
    --------
    >>> import linkprior as lp
    >>> lp.make("katz", beta=0.1)
    Katz(beta=0.1)
    """
    cls = find(name)
    for old in cls.renamed_parameters.keys() & params.keys():
        now = cls.renamed_parameters[old]
        warnings.warn(f"{name}: {old} is now {now}", DeprecationWarning, stacklevel=2)
    params = renamed(name, params)
    refuse_unknown(name, params, cls.parameter_names())
    return cls(**params)


def renamed(name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters of a model, given by former names or not, by the names they have now."""
    names_now = find(name).renamed_parameters
    return {names_now.get(one, one): value for one, value in params.items()}


def load(folder: str | Path) -> LinkPredictor:
    """Read a saved model; it predicts at once, without fitting again.

    Parameters
    ----------
    folder
        Where `LinkPredictor.save` wrote it. A model of another package needs that package.

    Returns
    -------
    LinkPredictor
        The fitted model, its network in `network_`.

    Examples
    --------
    >>> import tempfile
    >>> import linkprior as lp
    >>> model = lp.make("l3").fit(lp.planted_network(30, seed=0))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(folder)
    ...     lp.load(folder)
    L3()
    """
    import numpy as np

    from linkprior.io.store import read_model
    from linkprior.predictors.base import Learned
    from linkprior.predictors.saving import network_from, restore

    manifest, arrays = read_model(folder)
    try:
        model = make(manifest["model"], **renamed(manifest["model"], manifest["params"]))
        net = network_from(arrays, manifest["network"]["names"])
        state = {k.removeprefix("state."): v for k, v in arrays.items() if k.startswith("state.")}
        if net.digest != manifest["network"]["digest"]:
            raise StoreError(f"{folder}: the stored network does not match its digest")
        for name, array in arrays.items():
            if array.dtype.kind not in "biuf":  # complex ones would lose half of what they hold
                raise StoreError(
                    f"{folder}: the saved {name} is {array.dtype}, expected plain numbers"
                )
        with np.errstate(all="ignore"):  # numbers that lead nowhere are reported below, in one line
            learned = Learned(state, manifest["facts"])
            model = restore(model, net, learned, arrays.get("network.order"))
            # Whoever wrote the checksums too may have left out an array: score one pair.
            pair = np.array([[0, 1]])
            for part in (model.score_pairs(pair, by="position"), model._in_order()._base(pair)):
                if part.shape != (1,) or not np.isfinite(part).all():
                    raise StoreError(
                        f"{type(model).name}: the saved arrays give no scores; fit it again"
                    )
    except StoreError:
        raise
    except (LinkpriorError, ValueError, LookupError, TypeError, AttributeError) as problem:
        raise StoreError(f"{folder}: the saved model lacks or spoils {problem}") from None
    return model
