"""Exceptions of the package."""

from __future__ import annotations

__all__ = ["DeviceMemoryError", "DimensionError", "FerrovoxError"]


class FerrovoxError(RuntimeError):
    """A computation failed for a reason other than its arguments.

    Attributes
    ----------
    kind : str
        ``"device"`` if a device is missing or failed, ``"memory"`` if its memory does not suffice,
        ``"unsupported"`` if an operation is not available, ``"internal"`` for a programming error
        of ferrovox.
    """

    kind: str

    def __init__(self, message: str, kind: str = "internal") -> None:
        super().__init__(message)
        self.kind = kind

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.kind)


class DeviceMemoryError(FerrovoxError, MemoryError):
    """The memory of a device does not suffice.

    Attributes
    ----------
    requested, free, total : int
        Requested, free and total bytes of the device.
    """

    def __init__(self, message: str, requested: int, free: int, total: int) -> None:
        super().__init__(message, "memory")
        self.requested = requested
        self.free = free
        self.total = total

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.requested, self.free, self.total)


class DimensionError(ValueError):
    """An array has an unsupported number of dimensions."""
