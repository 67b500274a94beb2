"""The version, in one place, and how to cite it: one text for the page and `linkprior cite`."""

__version__ = "0.1.0"

CITATION = (
    "Method: Q. Tang, L. Tu, W. Wang, J. Xu. Network Inference by Learned Node-Specific Degree "
    f"Prior.\nSoftware: linkprior {__version__}, the linkprior developers, 2026 (CITATION.cff)."
)
