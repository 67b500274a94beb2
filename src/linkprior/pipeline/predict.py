"""One prediction, from a file or graph to the ranked links: what `linkprior predict` does.

The command line, the explorer (through it) and `predict_links` all run a `PredictJob`.
"""

from __future__ import annotations

import copy
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkprior import _progress as progress
from linkprior import machine
from linkprior._validation import whole_number
from linkprior.errors import InputError, LinkpriorError, ParameterError
from linkprior.io.atomic_files import whole_file
from linkprior.io.formats import ReadOptions
from linkprior.io.writers import format_of, write_ranking
from linkprior.model.degrees import LIST_SIZE
from linkprior.parallel import current_workers
from linkprior.parallel.memory import memory_room
from linkprior.pipeline.outputs import check_apart, check_output, check_save, is_folder, writing_to
from linkprior.pipeline.run_folder import RANKING, REPORT, STUDY, RunFolder, check_run_folder
from linkprior.pipeline.side_inputs import (
    Input,
    Loaded,
    NodeNames,
    Notify,
    SideInputs,
    is_path,
    silent,
)
from linkprior.predictors import registry
from linkprior.predictors.base import Array, LinkPredictor
from linkprior.predictors.cost import cost_of
from linkprior.predictors.estimate import estimate
from linkprior.predictors.evidence import explain_pair, explanation, with_evidence
from linkprior.ranking.candidates import MOST_PARTNERS, PARTNERS, Candidates, NeighborCandidates
from linkprior.ranking.ranking import Ranking
from linkprior.ranking.retrieval import default_kind, refuse_without_factors

if TYPE_CHECKING:
    import pandas as pd

    from linkprior.evaluation.tuning.tune import Tuning, TuningResult

TOP = 100  # links, where neither a number nor a threshold is given


@dataclass
class PredictJob:
    """One prediction, by `check`, `prepare`, `predict`, `write` and `close`; and their results."""

    side: SideInputs
    top: int | None = None
    threshold: float | None = None
    model: str | LinkPredictor = registry.DEFAULT_MODEL
    params: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    tune: int | None = None
    candidates: str | None = None
    partners: int | None = None
    evidence: bool = True
    explain: Sequence[tuple[Any, Any]] = ()
    output: str | None = None
    output_format: str | None = None
    save: str | None = None
    report: str | None = None  # a page that whoever runs the job writes
    keep_isolated: bool = False
    command: Sequence[str] = ()
    notify: Notify = silent

    file: Path | None = field(default=None, init=False)
    folder: Path | None = field(default=None, init=False)
    run_folder: RunFolder | None = field(default=None, init=False)
    search: Tuning | None = field(default=None, init=False)
    tuned: TuningResult | None = field(default=None, init=False)
    ranking: Ranking | None = field(default=None, init=False)
    seconds: dict[str, float] = field(default_factory=dict, init=False)
    _pairs: Candidates | None = field(default=None, init=False)
    _near: NeighborCandidates | None = field(default=None, init=False)
    _waiting: list[str] = field(default_factory=list, init=False)

    # ------------------------------------------------------------------ before anything is read

    def check(self) -> None:
        """Refuse what no network could make right."""
        side, flag = self.side, self.side.flag
        side.notify = self.announce
        # How many links to predict at most; a threshold alone sets no limit.
        self.most = TOP if self.top is None and self.threshold is None else self.top
        # On standard output an explanation takes the place of the list.
        self.lists = not (self.explain and flag) or bool(self.output or self.report)
        side.check()
        if self.partners is not None and not 1 <= self.partners <= MOST_PARTNERS:
            raise ParameterError(
                f"{flag}partners expects a number of partners per node, 1 to {MOST_PARTNERS:,}, "
                f"got {self.partners}"
            )
        self._check_outputs()
        self.predictor = self._make_model()
        self.model_name = type(self.predictor).name
        side.check(type(self.predictor))
        if self.tune is not None:
            from linkprior.evaluation.tuning.study import refuse_other_folders
            from linkprior.evaluation.tuning.tune import refuse_untunable

            self.tune = whole_number("tune", self.tune, 1)
            spelled = "--set {}=…" if flag else "{}"
            refuse_untunable(self.predictor, list(self.params), f"{flag}tune", spelled)
            if self.study is not None:
                refuse_other_folders(self.study)

    def _check_outputs(self) -> None:
        graph = self.side.source.graph
        inputs = [*([os.fspath(graph)] if is_path(graph) else []), *self.side.files]
        if inputs.count("-") > 1:
            raise LinkpriorError(
                "standard input (-) can be read only once; give files for the others"
            )
        if self.save is not None:
            check_save(self.save, inputs)
        check_apart(self.output, self.save, self.report)
        self.format = format_of(self.output, self.output_format)
        if self.output is None or self.output == "-":
            return
        if not is_folder(self.output):
            self.file = check_output(self.output, self.output_format is not None, inputs)
        elif is_path(graph):
            self.folder = check_run_folder(self.output, inputs)
        else:
            raise ParameterError("a run folder stores what was read: give the path of a file")

    def _make_model(self) -> LinkPredictor:
        """Return the model to fit, which may follow the length of the list, or a fitted one."""
        params = dict(self.params)
        if not isinstance(self.model, LinkPredictor):
            if "seed" in registry.find(self.model).parameter_names():
                params.setdefault("seed", self.seed)
            model = registry.make(self.model, **params)
        elif params or self.seed != 0:
            first = next(iter(params), "seed")
            raise ParameterError(
                f"{first} is a parameter of the model: give it to {self.model!r} itself"
            )
        else:
            model = self.model if self.model.fitted else copy.deepcopy(self.model)
        given = model.get_params()
        follows = given.get("n_edges") == "list" and given["list_size"] == LIST_SIZE
        if follows and "list_size" not in params and self.most is not None and not model.fitted:
            model.set_params(list_size=max(1, self.most))
        return model

    # ------------------------------------------------------------------ before the fit

    def prepare(self) -> None:
        """Read the network and its side information; choose the candidates."""
        side, model = self.side, self.predictor
        name = os.fspath(side.source.graph) if is_path(side.source.graph) else "the graph"
        self.announce(f"Reading {name} …")
        with progress.stage(f"reading {Path(name).name}"), self._timed("reading"):
            given = side.source.read(keep_isolated=self.keep_isolated or model.fitted)
        for line in given.report.text() if given.report else ():
            self.announce(line)
        given = side.attach(given)
        if model.fitted:
            given = self._as_fitted(given)
        else:
            side.report_ignored({self.model_name: type(model)}, given.network)
            side.apply(model, given)
            given = self._in_order(given)
        model = self.predictor
        self.given, self.network = given, given.network
        if self.explain:
            names = NodeNames(given)
            self.explain = [(names.one(a), names.one(b)) for a, b in self.explain]
        for a, b in self.explain:
            if a == b:
                raise LinkpriorError(
                    f"{side.flag}explain expects two different nodes, got {a!r} twice"
                )
        self._choose_candidates(side.candidates(given))
        if self.tune is not None:
            from linkprior.evaluation.tuning.tune import Tuning

            seed = model.get_params().get("seed", self.seed)
            self.search = Tuning(model, self.network, self.tune, seed=seed, study=self.study)
            self.search.refuse_empty_splits()

    def _in_order(self, given: Loaded) -> Loaded:
        """Return the network with its nodes sorted by name: nothing depends on a file's order."""
        network = given.network.sorted()
        if network is given.network:
            return given
        self.predictor = self.predictor._arranged(given.network.order)
        return replace(given, network=network)

    def _as_fitted(self, given: Loaded) -> Loaded:
        """Return the network as the model was fitted on it; refuse another network."""
        fitted_on = self.predictor.network_
        for network in (given.network, given.network.drop_isolated()):
            if network.sorted().digest == fitted_on.sorted().digest:
                self.predictor = self.predictor._in_order()
                return replace(given, network=self.predictor.network_)
        raise InputError(
            f"{self.predictor!r} was fitted on another network ({fitted_on}) than "
            f"the one given ({given.network}); give a predictor that is not fitted, or fit it on "
            "this network"
        )

    def _choose_candidates(self, given: Candidates | None) -> None:
        """Choose which pairs are ranked: all, or some partners per node of a large network."""
        if self.candidates == "knn":
            refuse_without_factors(self.predictor)
        self._pairs, flag = given, self.side.flag
        every = Candidates.of(self.network) if given is None else given
        kind = self.candidates or default_kind(self.predictor, every)
        if kind != "all":
            self._near = NeighborCandidates(every, kind, self.partners or PARTNERS, self.seed)
            nodes = f"{self.network.n_nodes:,} nodes; {flag}candidates all ranks every pair"
            self.announce(
                f"Candidates: {self._near.text()}{'' if self.candidates else f' ({nodes})'}"
            )
        elif self.partners is not None:
            raise LinkpriorError(
                f"{flag}partners needs {flag}candidates paths3 or knn: every pair is ranked here"
            )

    def estimate(self) -> str:
        """Return how long the work may take, and how much memory."""
        before, note = 0.0, ""
        if self.search is not None:
            before = self.search.cost
            tried = _settings(self.search.trials)
            note = f", after {tried} on {self.search.inner} inner splits"
        ranking = self._near.cost if self._near else None
        taken = estimate(self.predictor, self.network, ranking, before)
        return replace(taken, note=note).text(memory_room())

    # ------------------------------------------------------------------ the work

    def predict(self) -> None:
        """Tune, fit and rank, with evidence; `ranking` is None where only pairs are explained."""
        if self.folder is not None:
            self._open_folder(self.folder)
        if self.search is not None:
            with self._timed("tuning"):
                self.predictor = self._tune(self.search)
        model, work = self.predictor, cost_of(self.predictor, self.network)
        scores = self._near.cost if self._near else work.scores
        with progress.stage(f"fitting {self.model_name}", work.fit + scores):
            if not model.fitted:
                with progress.part(work.fit):
                    model = self.predictor = self._fit()
            if self.save is not None:
                self._save(model, self.save)
            if not self.lists:
                return
            with self._timed("ranking"):
                ranking = self._rank(model)
            if self._near is not None and self.notify is not silent:
                self._report_recall(ranking, self._near)
        if self.evidence:
            with self._timed("evidence"):
                ranking = with_evidence(model, ranking, self.given.symbols)
        self.ranking = ranking
        self._report_shape(ranking)

    def _open_folder(self, folder: Path) -> None:
        report, network = self.given.report, self.network
        assert report is not None
        self.run_folder = RunFolder(
            folder,
            self._request(),
            {
                "file": report.file,
                "sha256": report.sha256,
                "nodes": network.n_nodes,
                "edges": network.n_edges,
                "network_digest": network.without_history().digest,  # as the model is saved
            },
            bool(self.side.force),
            command=list(self.command),
            versions=machine.versions(),
            workers=current_workers(),
        )
        self.run_folder.write_json(REPORT, report.to_dict())
        for text in self._waiting:
            self.run_folder.log(text)

    def _request(self) -> dict[str, Any]:
        """Return what the ranking follows from, the input aside, for a run's manifest."""
        chosen: dict[str, Any] = {
            "model": self.model_name,
            "parameters": self.predictor.get_params(),
            "top": self.most,
            "threshold": self.threshold,
        }
        if self.search is not None:
            names = ("trials", "metric", "rule", "inner", "seed")
            chosen["tune"] = {name: getattr(self.search, name) for name in names}
        side = self.side.request()
        first = ("node", "nodes", "exclude", "between")
        chosen |= {name: side.pop(name) for name in first}
        if near := self._near:
            chosen |= {"candidates": near.kind, "partners": near.partners}
            chosen["candidates_seed"] = near.seed
        chosen |= {**side, "format": self.output_format, **self.side.source.request()}
        return {name: value for name, value in chosen.items() if value is not None}

    def _tune(self, search: Tuning) -> LinkPredictor:
        """Try the settings that are left, report what was chosen, and return a model with it."""
        if self.study is None:
            self.announce("No -o DIR/ is given: the settings tried are not saved.")
        else:
            saved = f"Settings tried are saved in {self.study}"
            self.announce(f"{saved}; the same command resumes where it stops.")
        self.announce(f"Tuning {self.model_name} …")
        self.tuned = tuned = search.run()
        on = f"Tuned on {search.inner} inner split{'s' * (search.inner != 1)}: {tuned.metric}"
        tried, default = f"({_settings(len(tuned.trials))} tried)", tuned.default_value
        if tuned.stays:
            self.announce(f"{on} {default:.4f} with the model's own parameters, which stay {tried}")
        else:
            params = ", ".join(f"{name}={value:g}" for name, value in tuned.best_params.items())
            start = "" if math.isnan(default) else f"{default:.4f} → "
            self.announce(f"{on} {start}{tuned.best_value:.4f} with {params} {tried}")
        if self.run_folder is not None:
            self.run_folder.note(tuned=tuned.facts())
        return tuned.model

    def _fit(self) -> LinkPredictor:
        model = self.run_folder.fitted() if self.run_folder is not None else None
        if model is not None:
            self.announce(f"Using the {self.model_name} model fitted before")
        else:
            self.announce(f"Fitting {self.model_name} …")
            with self._timed("fitting"):
                model = self.predictor.fit(self.network)
            if self.run_folder is not None:
                self.run_folder.save_model(model)  # from here on an interruption costs no fit
        for line in model.summary():
            self.announce(line)
        facts, names = model.learned_.facts, ("status", "n_iter", "objective", "primal", "dual")
        if self.run_folder is not None and "status" in facts:
            self.run_folder.note(fit={name: facts[name] for name in names if name in facts})
        return model

    def _save(self, model: LinkPredictor, folder: str) -> None:
        replaces = Path(folder).is_dir() and any(Path(folder).iterdir())  # it is a model: checked
        with writing_to(folder):
            model.save(folder)
        self.announce(
            f"Saved the model to {folder}{', replacing an earlier one' if replaces else ''}"
        )

    def _rank(self, model: LinkPredictor) -> Ranking:
        pairs = self._near or self._pairs
        if self.threshold is None:
            return model.predict_edges(self.most, candidates=pairs)
        # What is written has six digits, and what is written is what a user compares with.
        below = self.threshold
        if below:
            below -= 10.0 ** (math.floor(math.log10(abs(below))) - 5)
        floor = model.score_threshold(below)
        ranking = model.predict_edges(self.most, candidates=pairs, threshold=floor)
        probabilities = model.probabilities(ranking.scores)
        compared = ranking.scores if probabilities is None else probabilities
        return ranking[: sum(float(f"{s:.6g}") >= self.threshold for s in compared)]

    def _report_recall(self, ranking: Ranking, near: NeighborCandidates) -> None:
        """Report how many of the best pairs the candidates hold, estimated on some nodes."""
        from linkprior.ranking.recall import measure_recall

        limit, k = float("-inf"), self.most
        if self.threshold is not None:  # the list is whole: what it misses is counted down to it
            limit, k = self.predictor.score_threshold(self.threshold), None
        self.announce(
            measure_recall(self.predictor, near, ranking, k, limit, seed=self.seed).text()
        )

    def _report_shape(self, ranking: Ranking) -> None:
        """Report why a list is empty, or where its order means nothing."""
        scores, n = ranking.scores, len(ranking)
        if not n and self.notify is not silent:
            best = self.predictor.predict_edges(1, candidates=self._near or self._pairs).scores
            if not len(best):
                self.announce(
                    "No pair is left to predict: every candidate is an edge or was left out."
                )
            elif self.threshold is not None:
                values = self.predictor.probabilities(best)
                what, top = ("score", best[0]) if values is None else ("probability", values[0])
                self.announce(
                    f"No candidate pair has a {what} of {self.threshold:g} or more; the highest is "
                    f"{top:.6g}."
                )
        tied = int((scores == scores[-1]).sum()) if n else 0
        if tied > 1 and tied >= n / 10:
            which = "All" if tied == n else f"The last {tied} of"
            self.announce(
                f"Note: {which} {n} links tie at a score of {scores[-1]:.6g}: their order, and "
                "which pairs come next, is arbitrary."
            )

    # ------------------------------------------------------------------ what is written

    def write(self, ranking: Ranking) -> None:
        """Write the list to the file or run folder asked for; the manifest comes last."""
        if self.file is None and self.run_folder is None:
            return
        self.announce(f"Writing {len(ranking)} link{'s' * (len(ranking) != 1)} to {self.output}")
        with progress.stage("writing"):
            if self.file is not None:
                with writing_to(self.file), whole_file(self.file) as stream:
                    write_ranking(stream, ranking, self.format, self.network, self.facts)
            if (run := self.run_folder) is not None:
                for format in dict.fromkeys(("tsv", self.format)):
                    with run.writing(f"{RANKING}.{format}") as stream:
                        write_ranking(stream, ranking, format, self.network, self.facts)
                peak = round(machine.peak_memory() / 1e6)
                seconds = dict(self.seconds)
                run.finish(**self.facts, seconds=seconds, links=len(ranking), peak_memory_mb=peak)

    @property
    def facts(self) -> dict[str, Any]:
        """What files say of their origin; no clock, so the same command gives the same bytes."""
        return {
            "model": self.model_name,
            "seed": self.predictor.get_params().get("seed"),
            "network_digest": self.network.without_history().digest,
        }

    def explanations(self) -> Iterator[str]:
        """Give the explanation of each pair asked about."""
        for a, b in self.explain:
            facts = explain_pair(self.predictor, a, b, self.given.symbols)
            text = explanation(facts)
            missing = not (facts["observed"] or facts["known_non_edge"])
            values = self.predictor.probabilities(np.array([facts["score"]])) if missing else None
            if values is not None:
                assumed = self.predictor.assumption()
                text += (
                    f"\nThe probability that it is a missing link is {values[0]:.3g}, {assumed}."
                )
            yield text

    # ------------------------------------------------------------------ on the way

    @property
    def study(self) -> Path | None:
        """Where settings that are tried are stored; None: nowhere."""
        return None if self.folder is None else self.folder / STUDY

    def announce(self, text: str) -> None:
        """Report something, and log it in the run folder."""
        self.notify(text)
        self.log(text)

    def log(self, text: str) -> None:
        """Add a message to the log of the run folder; what comes before it is open waits."""
        if self.run_folder is not None:
            self.run_folder.log(text)
        else:
            self._waiting.append(text)

    def saved(self) -> str | None:
        """Return what an interruption would leave; None: only what is written whole."""
        if self.search is not None and self.tuned is None:
            tried = _settings(len(self.search.store.trials))
            if self.study is None:
                return f"{tried} tried and not saved, as no -o DIR/ was given"
            return f"{tried} tried and saved in {self.study}; the same command resumes from there"
        return None if self.run_folder is None else self.run_folder.saved()

    def close(self) -> None:
        """Let another process have the run folder."""
        if self.run_folder is not None:
            self.run_folder.close()

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[name] = round(time.perf_counter() - start, 3)


def expected_hits(model: LinkPredictor, scores: Array) -> str | None:
    """Return how many of these ranked links may be real: `about 41 (30–52)`; None: unknown."""
    hits = model.expected_hits(scores) if len(scores) else None
    if hits is None:
        return None
    mean, low, high = (float(column[-1]) for column in hits)
    about = f"about {mean:.0f}" if mean >= 1.0 else "less than one"
    return f"{about} ({low:.0f}–{high:.0f})"


def _settings(number: int) -> str:
    return f"{number} setting{'s' * (number != 1)}"


# ---------------------------------------------------------------------- from Python


def predict_links(
    graph: Any,
    k: int | None = None,
    model: str | LinkPredictor = registry.DEFAULT_MODEL,
    seed: int = 0,
    evidence: bool = True,
    *,
    source: str | None = None,
    target: str | None = None,
    keep_isolated: bool = False,
    tune: int | None = None,
    threshold: float | None = None,
    node: Any = (),
    nodes: Any = None,
    between: tuple[Any, Any] | None = None,
    exclude: Any = None,
    candidates: str | None = None,
    partners: int | None = None,
    negatives: Any = None,
    history: tuple[Any, Any] | None = None,
    add_nodes: Any = None,
    coverage: float | None = None,
    degrees: Any = None,
    weights: str | None = None,
    explain: Sequence[tuple[Any, Any]] = (),
    output: str | os.PathLike[str] | None = None,
    format: str | None = None,
    save: str | os.PathLike[str] | None = None,
    force: bool = False,
    read: Mapping[str, Any] | None = None,
    notify: Callable[[str], None] | None = None,
    **params: Any,
) -> pd.DataFrame:
    """Return the k likeliest missing links, best first: rank, source, target, score, evidence.

    The nodes in `source` and `target` are those of `graph`, not their names, so that
    ``G.add_edges_from(zip(df.source, df.target))`` works for a networkx graph of any nodes. There
    are fewer rows than k where there are fewer pairs without an edge. Lists of nodes or pairs may
    be Python objects or files, as for ``linkprior predict``, which gives the same links.

    Parameters
    ----------
    graph
        A graph of networkx or igraph, a scipy sparse matrix or square NumPy array, a NumPy array
        (m, 2) of edges, a pandas or polars data frame, pairs of nodes, the path of a file, or a
        `Network`. Nodes of matrices, and of igraph graphs without names, are numbers from 0 on.
    k
        Number of links, 100 unless a threshold is given.
    model
        The name of a model (`linkprior models` lists them), or a predictor. A predictor is left as
        it is; when it is fitted, it must be fitted on this very graph, and is not fitted again.
    seed
        Same seed, same table. A predictor has its own seed.
    evidence
        Whether to add the columns that explain a link's rank. Of a file that names nodes by
        identifiers and has readable labels too, these are the first two of them.
    source, target
        The two columns of a table or file that name the ends, where their names do not show it.
    keep_isolated
        Whether nodes without an edge take part. They do not, as with files: nothing is known about
        them, and the same network gives the same answer however it is handed over.
    tune
        How many settings of the model's parameters to try on hidden edges of the graph first, as
        `linkprior.tune` does by default; the best of them is fitted on all edges.
        ``attrs["tuned"]`` of the table holds it. What is tuned cannot be given.
    threshold
        Only links with at least this probability; for models without that column, this score.
    node, nodes, between
        Only partners of this node, or of the nodes in this list; only pairs within a list of
        nodes; only pairs across two lists.
    exclude
        Pairs to leave out, tested already, say: a list of pairs, a data frame, a graph or a file.
    candidates, partners
        ``"all"`` pairs, or in very large networks ``"paths3"`` or ``"knn"`` with so many partners
        per node.
    negatives
        Pairs known not to be links: true zeros for the models, and never predicted.
    history
        Two releases, older and newer: auto learns what newly found links look like.
    add_nodes
        Nodes without an edge yet, for models with the degree prior.
    coverage
        Share of all links that is observed, 0.7 say: how many are missing.
    degrees
        Known or desired degree of every node, for models with the degree prior: by node, in the
        order of the nodes of the graph, or a file.
    weights
        The column of a file or data frame, or edge attribute of networkx, that holds the
        confidence of each edge. Of `tri-degree`, "paper" and "learned" are parameters of the model.
    explain
        Pairs to explain; ``attrs["explanations"]`` of the table holds the texts.
    output, format, save, force
        A file, or with a slash at its end a run folder, to write the list to as well, its format
        (``"tsv"``, ``"csv"``, …), a folder for the fitted model, and whether to replace another
        run, or to keep observed edges that `negatives` names.
    read
        Options of `read_network` for a file: ``format``, ``organism``, ``min_score``, …
    notify
        Called with each message of the command line, ``print`` say.
    params
        Parameters of the model, such as ``rank=30``; of `auto`, ``effort``, ``objective`` and
        ``time_limit``, about how many seconds its fit may take.

    Returns
    -------
    pandas.DataFrame
        One row per link. ``attrs`` holds ``tuned`` and ``explanations`` where they were asked for.

    Examples
    --------
    >>> import linkprior as lp
    >>> path = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")]
    >>> lp.predict_links(path, 2, "l3", evidence=False)
       rank source target  score
    0     1      a      d    0.5
    1     2      b      e    0.5
    >>> lp.predict_links(path, model="l3", node="a", exclude=[("a", "d")]).target.tolist()
    ['c', 'e']
    """
    options = dict(read or {})
    input_format = options.pop("format", None)
    has = model if isinstance(model, LinkPredictor) else registry.find(model)
    if weights in ("paper", "learned") and "weights" in has.parameter_names():
        params["weights"], weights = weights, None
    if degrees is not None and not is_path(degrees):
        params["degrees"], degrees = degrees, None
    if is_path(graph) and (source, target) != (None, None):
        options["columns"] = source, target
    read_as = ReadOptions(**options, weights=weights)
    job = PredictJob(
        SideInputs(
            Input(graph, input_format, read_as, (source, target)),
            node=list(node) if isinstance(node, list | tuple | set) else [node],
            nodes=nodes,
            between=between,
            exclude=exclude,
            negatives=negatives,
            history=history,
            add_nodes=add_nodes,
            coverage=coverage,
            degrees=degrees,
            force=force,
        ),
        top=k,
        threshold=threshold,
        model=model,
        params=params,
        seed=seed,
        tune=tune,
        candidates=candidates,
        partners=partners,
        evidence=evidence,
        explain=explain,
        output=None if output is None else os.fspath(output),
        output_format=format,
        save=None if save is None else os.fspath(save),
        keep_isolated=keep_isolated,
        command=["linkprior.predict_links"],
        notify=notify or silent,
    )
    with closing(job):
        job.check()
        job.prepare()
        job.predict()
        assert job.ranking is not None  # only the command line explains without a list
        job.write(job.ranking)
    table = _table(job.ranking, job.given)
    if job.tuned is not None:
        table.attrs["tuned"] = job.tuned.facts()
    if job.explain:
        table.attrs["explanations"] = list(job.explanations())
    return table


def _table(ranking: Ranking, given: Loaded) -> pd.DataFrame:
    """Return the ranking as a data frame with the nodes as they were given, each of its kind."""
    import pandas as pd

    frame, names = ranking.to_frame(), given.network.names
    for column, ends in zip(("source", "target"), ranking.pairs.T.tolist(), strict=True):
        nodes = [given.objects.get(names[end], names[end]) for end in ends]
        alike = len({type(node) for node in nodes}) == 1
        frame[column] = pd.Series(nodes, dtype=None if alike else object)
    return frame
