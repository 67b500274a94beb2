"""One call from somebody's graph to a table of its likeliest missing links."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from linkprior._validation import whole_number
from linkprior.errors import InputError, ParameterError
from linkprior.io.convert import Labelled, labelled
from linkprior.model.degrees import LIST_SIZE
from linkprior.predictors import registry
from linkprior.predictors.base import LinkPredictor
from linkprior.ranking.ranking import Ranking

if TYPE_CHECKING:
    import pandas as pd

    from linkprior.evaluation.tuning.tune import TuningResult
    from linkprior.network import Network


def predict_links(
    graph: Any,
    k: int = 100,
    model: str | LinkPredictor = registry.DEFAULT_MODEL,
    seed: int = 0,
    evidence: bool = True,
    *,
    source: str | None = None,
    target: str | None = None,
    keep_isolated: bool = False,
    tune: int | None = None,
    **params: Any,
) -> pd.DataFrame:
    """Return the k likeliest missing links, best first: rank, source, target, score, evidence.

    The nodes in `source` and `target` are those of `graph`, not their names, so that
    ``G.add_edges_from(zip(df.source, df.target))`` works for a networkx graph of any nodes. There
    are fewer rows than k where there are fewer pairs without an edge.

    Parameters
    ----------
    graph
        A graph of networkx or igraph, a scipy sparse matrix or square NumPy array, a NumPy array
        (m, 2) of edges, a pandas or polars data frame, pairs of nodes, the path of a file, or a
        `Network`. Nodes of matrices, and of igraph graphs without names, are numbers from 0 on.
    k
        Number of links.
    model
        The name of a model (`linkprior models` lists them), or a predictor. A predictor is left as
        it is; when it is fitted, it must be fitted on this very graph, and is not fitted again.
    seed
        Same seed, same table. A predictor has its own seed.
    evidence
        Whether to add the columns that say why a link stands where it stands. Of a file that names
        nodes by identifiers and has readable labels too, these are the first two of them.
    source, target
        The two columns of a table or file that name the ends, where their names do not tell.
    keep_isolated
        Whether nodes without an edge take part. They do not, as with files: nothing is known about
        them, and the same network gives the same answer however it is handed over.
    tune
        How many settings of the model's parameters to try on hidden edges of the graph first, as
        `linkprior.tune` does by default; the best of them is fitted on all edges.
        ``attrs["tuned"]`` of the table tells which it is. What is tuned cannot be given.
    params
        Parameters of the model, such as ``rank=30``.
    """
    predictor = _predictor(model, seed, params)
    trials = None if tune is None else _trials(tune, predictor, params)
    given = labelled(graph, source, target)
    tuned = None
    if predictor.fitted:
        given = _as_fitted(predictor, given)
    else:
        given = given if keep_isolated else given.drop_isolated()
        predictor = _for_list(predictor, given, k, params)
        if trials is not None:
            tuned = _tuned(predictor, given.network, trials, seed)
        fresh = copy.deepcopy(predictor) if tuned is None else tuned.model
        predictor = fresh.fit(given.network)
    ranking = predictor.predict_edges(k)
    if evidence:
        from linkprior.predictors.evidence import with_evidence

        ranking = with_evidence(predictor, ranking, given.symbols)
    table = _table(ranking, given)
    if tuned is not None:
        table.attrs["tuned"] = tuned.facts()
    return table


def _for_list(
    predictor: LinkPredictor, given: Labelled, k: int, params: dict[str, Any]
) -> LinkPredictor:
    """Return the model with what it needs of the list and the nodes: its length, their names."""
    known, changes = predictor.get_params(), dict[str, Any]()
    follows = known.get("n_edges") == "list" and known["list_size"] == LIST_SIZE
    if follows and "list_size" not in params:
        changes["list_size"] = max(1, k)
    degrees = known.get("degrees")
    if isinstance(degrees, Mapping):  # by the nodes of the graph, which need not be text
        named = dict(zip(given.labels, given.network.names, strict=True))
        changes["degrees"] = {named.get(node, node): value for node, value in degrees.items()}
    return copy.deepcopy(predictor).set_params(**changes) if changes else predictor


def _trials(tune: object, predictor: LinkPredictor, params: dict[str, Any]) -> int:
    """Return how many settings to try; refuse a model that cannot be tuned, before any work."""
    from linkprior.evaluation.tuning.tune import refuse_untunable

    trials = whole_number("tune", tune, 1)
    refuse_untunable(predictor, params)
    return trials


def _tuned(predictor: LinkPredictor, network: Network, trials: int, seed: int) -> TuningResult:
    """Return the best of some settings; which edges are hidden follows the model's seed, if any."""
    from linkprior.evaluation.tuning.tune import Tuning

    own = predictor.get_params().get("seed", seed)
    return Tuning(predictor, network, trials, seed=own).run()


def _predictor(model: str | LinkPredictor, seed: int, params: dict[str, Any]) -> LinkPredictor:
    if not isinstance(model, LinkPredictor):
        if "seed" in registry.find(model).parameter_names():
            params = {**params, "seed": seed}
        return registry.make(model, **params)
    if params or seed != 0:
        first = next(iter(params), "seed")
        raise ParameterError(f"{first} is a parameter of the model: give it to {model!r} itself")
    return model


def _as_fitted(model: LinkPredictor, given: Labelled) -> Labelled:
    """Return the graph with the nodes the model was fitted with; refuse another graph."""
    for same in (given, given.drop_isolated()):
        if same.network.digest == model.network_.digest:
            return same
    raise InputError(
        f"{model!r} was fitted on another network ({model.network_}) than the one given "
        f"({given.network}); give a predictor that is not fitted, or fit it on this network"
    )


def _table(ranking: Ranking, given: Labelled) -> pd.DataFrame:
    """Return the ranking as a data frame with the nodes as they were given."""
    frame = ranking.to_frame()
    for column, ends in zip(("source", "target"), ranking.pairs.T.tolist(), strict=True):
        frame[column] = _column([given.labels[node] for node in ends])
    return frame


def _column(values: list[Any]) -> pd.Series[Any]:
    """Return a column in which every node stays what it is: mixed kinds are not made alike."""
    import pandas as pd

    kinds = {type(value) for value in values}
    return pd.Series(values, dtype=None if len(kinds) == 1 else object)
