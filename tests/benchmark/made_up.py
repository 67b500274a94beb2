"""Cells that nobody measured, for tests of what is made of cells."""

import json

VERSION = "0.1.0"


def cell(network, model, split, auprc, **more):
    """A cell as the benchmark's first runs wrote it; every metric has the same value."""
    names = ("auprc", "recall@5%", "p@500", "ndcg", "auroc", "dc_auroc")
    values = {**dict.fromkeys(names, auprc), "seconds": 1.0, "peak_mb": 100.0}
    return {
        "network": network,
        "protocol": "uniform:0.9",
        "rule": "connected",
        "split": split,
        "model": model,
        "digest": f"digest of {network} {split}",
        "hidden": 20 + split,
        "linkprior": VERSION,
        "values": values | more.pop("values", {}),
        **more,
    }


def cells(table):
    """Cells of {network: {model: [value of split 0, of split 1, …]}}."""
    return [
        cell(network, model, split, value)
        for network, models in table.items()
        for model, found in models.items()
        for split, value in enumerate(found)
        if value is not None
    ]


def kept(folder, found):
    """Write cells into a folder as a run does."""
    for one in found:
        name = one["network"].replace(" ", "_").replace("%", "pc")
        path = folder / name / f"{one['split']}-{one['model'].replace(' ', '_')}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(one))
    return folder
