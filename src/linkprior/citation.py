"""How to cite the method and the software: one text for the page and `linkprior cite`."""

from linkprior._version import __version__

CITATION = (
    "Method: Q. Tang, L. Tu, W. Wang, J. Xu. Network Inference by Learned Node-Specific Degree "
    f"Prior.\nSoftware: linkprior {__version__}, the linkprior developers, 2026 (CITATION.cff)."
)
