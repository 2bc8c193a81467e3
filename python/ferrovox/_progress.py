"""Progress bars."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def progress_callback(
    progress: bool | Callable[[float], None], stage: str
) -> Iterator[Callable[[float], None] | None]:
    """Yield a function that takes the finished fraction, or ``None``.

    ``True`` selects a bar of tqdm, if that is installed.
    """
    if callable(progress):
        yield progress
        return
    if progress:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            pass
        else:
            bar = tqdm(total=100, desc=stage, unit="%", leave=False)

            def update(fraction: float) -> None:
                bar.update(round(100 * fraction) - bar.n)

            with bar:
                yield update
            return
    yield None
