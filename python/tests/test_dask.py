"""Functions for dask arrays, which equal those of the whole array for any chunks."""

import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest

import ferrovox
from ferrovox import parts

dask = pytest.importorskip("dask")
array = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

import ferrovox.dask  # noqa: E402


@pytest.fixture(scope="module")
def random():
    return np.random.default_rng(0)


def assert_same(found, expected):
    """Check that arrays have the same type and the same bits."""
    found = np.asarray(found)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    np.testing.assert_array_equal(found, expected)


def tubes(shape=(50, 40, 45)):
    """Return two labels with branches that cross the chunks."""
    x, y, z = np.indices(shape)
    labels = np.zeros(shape, np.uint32)
    labels[(x - 20) ** 2 + (y - 15) ** 2 < 16] = 3
    labels[((y - 15) ** 2 + (z - 22) ** 2 < 9) & (x > 18)] = 3
    labels[(x - 40) ** 2 + (z - 30) ** 2 < 20] = 70_000
    labels[:, 38:] = 0
    return labels


SAMPLINGS = [None, 2.5, (0.5, 1.0, 3.0), (0.3, 0.7, 1.1)]


@pytest.mark.parametrize("shape", [(40,), (17, 23), (19, 13, 11)])
@pytest.mark.parametrize("sampling", SAMPLINGS)
@pytest.mark.parametrize("density", [0.0, 0.001, 0.02, 0.3])
def test_distances_do_not_depend_on_chunks(random, shape, sampling, density):
    volume = random.random(shape) >= density
    if isinstance(sampling, tuple):
        sampling = sampling[: len(shape)]
    for options in (
        {},
        {"float64_distances": False},
        {"max_distance": 3.0},
        {"return_indices": True},
        {"return_indices": True, "max_distance": 3.0, "float64_distances": False},
        {"return_indices": True, "return_distances": False},
    ):
        chunks = [int(random.integers(1, 9)) for _ in shape]
        lazy = array.from_array(volume, chunks=chunks)
        found = ferrovox.dask.distance_transform_edt(lazy, sampling, **options)
        expected = ferrovox.distance_transform_edt(volume, sampling, **options)
        if isinstance(expected, tuple):
            for one, other in zip(dask.compute(*found), expected, strict=True):
                assert_same(one, other)
            assert found[0].chunks == lazy.chunks
        else:
            assert_same(found.compute(), expected)


def test_envelopes_are_merged_in_any_order(random):
    volume = random.random((30, 9, 8)) > 0.02
    bounds = [(0, 7), (7, 8), (8, 22), (22, 30)]
    a, b, c, d = (
        pickle.loads(pickle.dumps(parts.envelope_part(volume[i:j], first_plane=i)))
        for i, j in bounds
    )
    expected = (a | b) | (c | d)
    for merged in (a | (b | c) | d, d | c | b | a):
        np.testing.assert_array_equal(merged.ends, expected.ends)
        np.testing.assert_array_equal(merged.sites, expected.sites)
    found = parts.distance_part(volume[8:22], a | b, d, first_plane=8)
    assert_same(found, ferrovox.distance_transform_edt(volume)[8:22])
    with pytest.raises(ValueError, match="columns"):
        a | parts.envelope_part(volume[:, :5], first_plane=0)


def unaligned(values):
    """Return a copy whose elements are not aligned, as arrays received from a process can be."""
    memory = bytearray(values.nbytes + 1)
    result = np.frombuffer(memory, values.dtype, values.size, 1).reshape(values.shape)
    result[...] = values
    return result


def test_parts_are_computed_from_unaligned_arrays(random):
    volume = random.random((12, 9, 8), np.float32)
    volume[volume < 0.1] = 0
    first, second = unaligned(volume[:5]), unaligned(volume[5:])
    above = parts.envelope_part(second, first_plane=5)
    above = parts.Envelope(
        unaligned(above.ends), unaligned(above.sites), above.shape, above.spacing
    )
    found = parts.distance_part(first, None, above, first_plane=0)
    assert_same(found, ferrovox.distance_transform_edt(volume)[:5])
    (slab,) = parts.slabs(volume.shape, 1)
    count = parts.count_part(volume, slab, volume.shape, 0.5)
    assert parts.count_part(unaligned(volume), slab, volume.shape, 0.5) == count


@pytest.mark.parametrize("chunks", [(50, 40, 45), (13, 40, 45), (17, 11, 9)])
def test_skeletons_do_not_depend_on_chunks(chunks):
    labels = tubes()
    arguments = ({"scale": 1.5, "const": 4}, (1.0, 1.5, 2.0))
    expected = ferrovox.skeletonize(labels, *arguments, dust_threshold=50, progress=False)
    lazy = array.from_array(labels, chunks=chunks)
    delayed = ferrovox.dask.skeletonize(lazy, *arguments, dust_threshold=50)
    (found,) = dask.compute(delayed)
    assert sorted(found) == sorted(expected) == [3, 70_000]
    for label, skeleton in expected.items():
        assert_same(found[label].vertices, skeleton.vertices)
        assert_same(found[label].edges, skeleton.edges)
        assert_same(found[label].radii, skeleton.radii)
        assert found[label].report == skeleton.report


def test_holes_are_filled():
    labels = tubes()
    hollow = labels.copy()
    hollow[19:22, 14:17, 5:9] = 0
    hollow[40, 5, 29:31] = 9
    arguments = ({"scale": 1.5, "const": 4}, (1.0, 1.5, 2.0))
    options = {"dust_threshold": 50, "progress": False}
    expected = ferrovox.skeletonize(labels, *arguments, **options)
    found = ferrovox.skeletonize(hollow, *arguments, fill_holes=True, **options)
    unfilled = ferrovox.skeletonize(hollow, *arguments, **options)
    lazy = array.from_array(hollow, chunks=20)
    delayed = ferrovox.dask.skeletonize(lazy, *arguments, dust_threshold=50, fill_holes=True)
    for results in (found, {k: v for k, v in dask.compute(delayed)[0].items() if v is not None}):
        assert sorted(results) == sorted(expected)
        for label, skeleton in expected.items():
            assert results[label].id == label
            assert_same(results[label].vertices, skeleton.vertices)
            assert_same(results[label].radii, skeleton.radii)
    assert any(it["cavities"] for it in unfilled[3].report)


def test_skeletons_of_selected_labels():
    lazy = array.from_array(tubes(), chunks=20)
    delayed = ferrovox.dask.skeletonize(lazy, object_ids=[70_000, 5], dust_threshold=10**6)
    assert dask.compute(delayed) == ({70_000: None},)


@pytest.mark.parametrize("chunks", [5, (7, 20, 11), (1, 30, 30)])
def test_voxels_do_not_depend_on_chunks(chunks):
    x, y, z = np.ogrid[-9:9:19j, -9:9:18j, -9:9:20j]
    mesh = ferrovox.marching_cubes(np.sqrt(x**2 + 1.3 * y**2 + z**2), 7.3)
    for shape in (None, (12, 30, 31)):
        options = {"spacing": 0.61, "shape": shape}
        expected = ferrovox.voxelize(mesh.vertices, mesh.faces, **options)
        found = ferrovox.dask.voxelize(mesh.vertices, mesh.faces, chunks=chunks, **options)
        assert_same(found.mask.compute(), expected.mask)
        assert found.origin == expected.origin and expected.mask.any()


@pytest.mark.parametrize("extension", ["ply", "stl", "obj"])
def test_zarr_to_zarr_and_to_one_mesh_file(tmp_path, extension):
    pytest.importorskip("zarr")
    x, y, z = np.ogrid[-9:9:23j, -9:9:21j, -9:9:20j]
    volume = np.sqrt(x**2 + y**2 + z**2).astype(np.float32)
    array.from_array(volume, chunks=8).to_zarr(str(tmp_path / "volume.zarr"))
    lazy = array.from_zarr(str(tmp_path / "volume.zarr"))
    distances = ferrovox.dask.distance_transform_edt(lazy > 3)
    distances.to_zarr(str(tmp_path / "distances.zarr"))
    stored = array.from_zarr(str(tmp_path / "distances.zarr")).compute()
    assert_same(stored, ferrovox.distance_transform_edt(volume > 3))
    for close in (False, True):
        path, expected = tmp_path / f"found.{extension}", tmp_path / f"expected.{extension}"
        counts = ferrovox.dask.save_mesh(path, lazy, 8.2, close=close, parts_at_once=2)
        mesh = ferrovox.marching_cubes(volume, 8.2, close=close)
        mesh.save(expected)
        assert counts == (len(mesh.vertices), len(mesh.faces))
        assert path.read_bytes() == expected.read_bytes()


def slowly(block):
    """Return a block after a while."""
    time.sleep(0.4)
    return block


def test_killed_worker_loses_nothing(random):
    volume = random.random((48, 20, 22)) > 0.01
    expected = ferrovox.distance_transform_edt(volume)
    lazy = array.from_array(volume, chunks=(6, 20, 22)).map_blocks(slowly, dtype=bool)
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        pids = client.run(os.getpid)
        future = client.compute(ferrovox.dask.distance_transform_edt(lazy))
        killer = threading.Timer(1.5, os.kill, (min(pids.values()), signal.SIGKILL))
        killer.start()
        found = future.result(timeout=120)
        killer.join()
        # the nanny replaced the worker
        client.wait_for_workers(2, timeout=60)
        assert set(client.run(os.getpid).values()) != set(pids.values())
    assert_same(found, expected)
