"""Skeletons, scans, voxels and occupancy."""

import pickle

import numpy as np
import pytest

import ferrovox

TEASAR = {"scale": 1.5, "const": 4}


def ring():
    """Return a ring with label 3 and a rod with label 2**40."""
    labels = np.zeros((60, 44, 12), np.uint64)
    x, y = np.ogrid[:60, :44]
    radius = np.hypot(x - 20, y - 20)
    labels[(radius > 11) & (radius < 17), 3:9] = 3
    labels[45:50, 4:40, 3:8] = 2**40
    return labels


@pytest.mark.parametrize("order", "CF")
def test_skeletons_have_the_topology_of_their_objects(order):
    networkx = pytest.importorskip("networkx")
    labels = np.asarray(ring(), order=order)
    anisotropy = (2.0, 1.0, 3.0)
    skeletons = ferrovox.skeletonize(labels, TEASAR, anisotropy, dust_threshold=10, progress=False)
    assert set(skeletons) == {3, 2**40}
    for label, cycles in ((3, 1), (2**40, 0)):
        skeleton = skeletons[label]
        assert skeleton.id == label and skeleton.certified and skeleton.report[0]["voxels"] > 100
        graph = skeleton.to_networkx()
        assert networkx.is_connected(graph)
        assert graph.number_of_edges() - graph.number_of_nodes() + 1 == cycles
        voxels = np.rint(skeleton.vertices / anisotropy).astype(int)
        assert (labels[tuple(voxels.T)] == label).mean() > 0.9
        other = pickle.loads(pickle.dumps(skeleton))
        np.testing.assert_array_equal(other.vertices, skeleton.vertices)
        lines = [line.split() for line in skeleton.to_swc().splitlines() if line[0] != "#"]
        assert len(lines) == len(skeleton.vertices)
        assert all(int(line[6]) < int(line[0]) for line in lines)
        assert sum(line[6] == "-1" for line in lines) == 1


def test_selected_labels_and_dust():
    labels = ring()
    arguments = {"teasar_params": TEASAR, "progress": False}
    only = ferrovox.skeletonize(labels, object_ids=[3, 99], dust_threshold=10, **arguments)
    assert list(only) == [3]
    assert ferrovox.skeletonize(labels, object_ids=[99], **arguments) == {}
    assert ferrovox.skeletonize(labels, dust_threshold=10**6, **arguments) == {}
    assert ferrovox.skeletonize(np.zeros((5, 5, 5), int), **arguments) == {}


def test_skeletons_become_those_of_osteoid():
    pytest.importorskip("osteoid")
    skeletons = ferrovox.skeletonize(ring(), TEASAR, dust_threshold=10, progress=False)
    theirs = skeletons[3].to_osteoid()
    assert theirs.id == 3 and theirs.cable_length() == pytest.approx(skeletons[3].cable_length())


@pytest.mark.parametrize(
    "name", ["fix_avocados", "extra_targets_before", "extra_targets_after", "spacing"]
)
def test_missing_options_of_skeletons_are_refused_by_name(name):
    value = [(1, 1, 1)] if name.startswith("extra") else 1
    with pytest.raises(ferrovox.FerrovoxError, match=name):
        ferrovox.skeletonize(ring(), progress=False, **{name: value})


@pytest.mark.parametrize("dtype", "?bBhHiIqQefd")
@pytest.mark.parametrize("length", [0, 1, 5, 10_001])
def test_scans_are_shifted_cumulative_sums(dtype, length):
    array = np.random.default_rng(0).integers(0, 2 if dtype == "?" else 5, length).astype(dtype)
    sums, total = ferrovox.exclusive_scan(array, return_total=True)
    inclusive = np.cumsum(array)
    if dtype == "e":
        inclusive = np.cumsum(array, dtype=np.float32)
    assert sums.dtype == inclusive.dtype
    np.testing.assert_array_equal(sums[1:], inclusive[:-1])
    assert total == (inclusive[-1] if length else 0)
    if dtype != "?" and length > 1:
        for op, ufunc in (("min", np.minimum), ("max", np.maximum)):
            ours = ferrovox.exclusive_scan(array, op=op)
            np.testing.assert_array_equal(ours[1:], ufunc.accumulate(array)[:-1])


def test_scan_with_an_initial_value_and_an_output():
    out = np.empty(3, np.int64)
    result = ferrovox.exclusive_scan([1, 2, 3], initial=10, out=out)
    assert result is out and out.tolist() == [10, 11, 13]


@pytest.mark.parametrize("arguments", [{"op": "prod"}, {"dtype": np.int8}, {"out": np.empty(2)}])
def test_invalid_arguments_of_scans(arguments):
    with pytest.raises((ValueError, TypeError)):
        ferrovox.exclusive_scan([1, 2, 3], **arguments)


def test_voxels_of_a_mesh_are_those_of_the_solid():
    solid = np.random.default_rng(1).random((12, 13, 14)) > 0.5
    solid[[0, -1]] = solid[:, [0, -1]] = solid[:, :, [0, -1]] = False
    mesh = ferrovox.marching_cubes(solid, 0.5, spacing=(2.0, 1.0, 0.5))
    voxels = ferrovox.voxelize(*mesh[:2], spacing=(2.0, 1.0, 0.5), shape=solid.shape)
    np.testing.assert_array_equal(voxels.mask, solid)
    around = ferrovox.voxelize(*mesh[:2], spacing=(2.0, 1.0, 0.5))
    assert abs(around.mask.sum() - solid.sum()) < 0.3 * solid.sum()
    assert not around.mask[0].any() and not around.mask[-1].any()


@pytest.mark.parametrize(
    ("vertices", "faces"),
    [
        (np.zeros((0, 3)), np.zeros((0, 3), int)),
        (np.zeros((3, 2)), [[0, 1, 2]]),
        (np.eye(3), [[0, 1, 3]]),
        (np.eye(3), [[0, 1, -1]]),
        (np.eye(3), [[0.0, 1.0, 2.0]]),
        (np.eye(3), [[0, 1, 2]]),
        (np.full((3, 3), np.nan), [[0, 1, 2]]),
    ],
)
def test_invalid_meshes_are_value_errors(vertices, faces):
    with pytest.raises(ValueError):
        ferrovox.voxelize(vertices, faces, spacing=1)


def test_occupancy_names_the_limit():
    found = ferrovox.occupancy(92, 224, gpu="A100")
    assert found == (2, 14, 14 / 64, ("registers",))
    with pytest.raises(ValueError, match="H100"):
        ferrovox.occupancy(32, 128, gpu="H1000")


def test_devices_end_with_the_cpu():
    assert ferrovox.devices()[-1] == "cpu"


def test_missing_cuda_device_is_an_error():
    count = len(ferrovox.devices()) - 1
    with pytest.raises(ferrovox.FerrovoxError) as error:
        ferrovox.marching_cubes(np.eye(3)[None].repeat(3, 0), 0.5, device=count)
    assert error.value.kind == "device"
