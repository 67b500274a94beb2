"""Everything that runs on PyTorch tensors: the only package that imports torch.

Everything here has a twin in NumPy, or is a version in torch operations of the CUDA kernel
that does the same faster. Kernels are compiled at first use by NVRTC, which PyTorch brings.
"""
