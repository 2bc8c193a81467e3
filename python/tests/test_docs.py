"""The code of the documentation runs."""

import re
from pathlib import Path

import numpy as np
import pytest

PAGE = Path(__file__).parents[2] / "docs/python.md"


def test_code_of_the_page_runs_from_top_to_bottom(tmp_path, monkeypatch):
    for package in ("dask.array", "zarr", "trimesh", "networkx"):
        pytest.importorskip(package)
    import dask.array

    monkeypatch.chdir(tmp_path)
    x, y, z = np.ogrid[-1:1:24j, -1:1:22j, -1:1:20j]
    volume = np.sqrt(x**2 + y**2 + z**2).astype(np.float32)
    dask.array.from_array(volume, chunks=9).to_zarr("volume.zarr")
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) >= 2
    names = {}
    for block in blocks:
        code = compile(block, str(PAGE), "exec")
        # the tests in `gpu` use arrays of torch on a device
        if 'device="cuda"' not in block:
            exec(code, names)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "ball.ply",
        "distances.zarr",
        "surface.ply",
        "volume.zarr",
    ]
