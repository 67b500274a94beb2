"""The table of docs/stability.md is made of the stored cells of the two versions it names."""

from benchmarks import stability
from benchmarks.stability_parts import PARTS, Options


def results(**cells):
    sides = {"before": {"digest": "old", "commit": "1a"}, "now": {"digest": "new", "commit": "2b"}}
    keys = {name.replace("_", "|"): cell for name, cell in cells.items()}
    return {"checkouts": {"removed": sides}, "cells": keys}


def cell(*others):
    return {"first": [" ".join(map(str, codes)) for codes in (range(100), *others)]}


def row(table, what):
    return next(line for line in table.splitlines() if line.startswith(f"| {what}"))


def test_each_version_has_a_column_and_other_versions_are_not_shown():
    found = results(
        removed_old_yeast_d_s=cell(range(50, 150)),
        removed_new_yeast_d_s=cell(range(10, 110), range(30, 130)),
        removed_another_yeast_d_s=cell(range(100)),
    )
    table = stability.table_of(found)
    assert "| 0.500 (yeast 0.500) | 0.800 (yeast 0.800) | ≥ .80 |" in row(table, "removed: 2 %")
    assert "| – | – |" in row(table, "seeds: kept of the first 100")
    assert "1a → 2b (removed)" in table


def test_where_both_versions_have_cells_only_common_ones_count():
    found = results(
        removed_old_yeast_d_s=cell(range(100)),
        removed_new_yeast_d_s=cell(range(100)),
        removed_new_USAir_d_s=cell(range(100, 200)),
    )
    assert "| 1.000 (yeast 1.000) | 1.000 (yeast 1.000) |" in stability.table_of(found)


def test_a_change_of_probability_is_of_the_pairs_first_in_either_list():
    seeds = {
        "first": ["1", "2"],
        "expected": [1.0, 1.0],
        "at": "1 2 3",
        "probabilities": [".9 .5 .1", ".7 .6 .9"],
    }
    rows = {what: shown({("yeast", "0-1"): seeds}) for what, shown, _ in PARTS["seeds"].rows()}
    assert rows["seeds: change of a probability, median"].startswith("0.150 ")
    assert rows["seeds: change of a probability, largest"].startswith("0.200 ")


def test_too_many_networks_are_thinned_out_over_the_whole_list():
    assert list(Options(most=3).chosen({str(n): "" for n in range(9)})) == ["0", "3", "6"]
    assert list(Options(networks=("7",)).chosen({str(n): "" for n in range(9)})) == ["7"]
