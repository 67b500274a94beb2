"""Everything that runs on PyTorch tensors: the only package that imports torch.

What stands here has a twin in NumPy, or is a plain text of torch operations beside the CUDA kernel
that does the same faster. Kernels are compiled at first use by NVRTC, which PyTorch brings.
"""
