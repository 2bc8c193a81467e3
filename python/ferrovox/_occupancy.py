"""Devices, and the occupancy of CUDA kernels."""

from __future__ import annotations

from typing import NamedTuple

from . import _ferrovox

__all__ = ["Occupancy", "devices", "occupancy"]


class Occupancy(NamedTuple):
    """Occupancy of a multiprocessor.

    Attributes
    ----------
    active_blocks, active_warps : int
        Number of resident blocks and warps.
    fraction : float
        Active warps divided by their maximum.
    limited_by : tuple of str
        Resources that limit the number of blocks.
    """

    active_blocks: int
    active_warps: int
    fraction: float
    limited_by: tuple[str, ...]


def occupancy(
    registers: int,
    threads: int,
    *,
    gpu: str | None = None,
    static_shared: int = 0,
    dynamic_shared: int = 0,
) -> Occupancy:
    """Compute the occupancy of a kernel, like NVIDIA's occupancy calculator.

    Parameters
    ----------
    registers : int
        32-bit registers per thread.
    threads : int
        Threads per block.
    gpu : str, optional
        Product name, such as ``"H200"``; by default the first CUDA device of the machine.
    static_shared, dynamic_shared : int
        Bytes of shared memory per block.

    Examples
    --------
    >>> import ferrovox
    >>> ferrovox.occupancy(92, 224, gpu="A100")
    Occupancy(active_blocks=2, active_warps=14, fraction=0.21875, limited_by=('registers',))
    """
    blocks, warps, fraction, limiters = _ferrovox.occupancy(
        registers, threads, gpu, static_shared, dynamic_shared
    )
    return Occupancy(blocks, warps, fraction, tuple(limiters))


def devices() -> list[str]:
    """Return the names of the devices of this machine: CUDA devices, then the CPU.

    Examples
    --------
    >>> import ferrovox
    >>> ferrovox.devices()[-1]
    'cpu'
    """
    return _ferrovox.device_ids()
