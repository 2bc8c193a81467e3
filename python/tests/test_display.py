"""Files and display of meshes and skeletons."""

import html
import re
import struct

import numpy as np
import pytest

import ferrovox


def ball(**options):
    x, y, z = np.ogrid[-8:8:17j, -8:8:17j, -8:8:17j]
    return ferrovox.marching_cubes(np.sqrt(x**2 + y**2 + z**2), 5.0, **options)


def skeleton():
    labels = np.zeros((40, 9, 9), np.uint8)
    labels[2:38, 3:6, 3:6] = 7
    return ferrovox.skeletonize(labels, {"const": 4}, dust_threshold=100, progress=False)[7]


def read_ply(path):
    """Return the positions and the triangles of a binary PLY file."""
    header, _, body = path.read_bytes().partition(b"end_header\n")
    vertices, faces = (int(n) for n in re.findall(rb"element \w+ (\d+)", header))
    properties = re.findall(rb"property (float|double) (\w+)", header)
    types = {b"double": "<f8", b"float": "<f4"}
    dtype = np.dtype([(name.decode(), types[kind]) for kind, name in properties])
    table = np.frombuffer(body, dtype, vertices)
    rest = np.frombuffer(body, np.dtype([("n", "u1"), ("i", "<i4", 3)]), faces, table.nbytes)
    return np.stack([table[name] for name in "xyz"], axis=1), rest["i"]


def test_saved_meshes_have_their_arrays(tmp_path):
    mesh = ball()
    mesh.save(tmp_path / "ball.ply")
    positions, faces = read_ply(tmp_path / "ball.ply")
    np.testing.assert_array_equal(positions, mesh.vertices)
    np.testing.assert_array_equal(faces, mesh.faces)


def test_saved_meshes_far_from_the_origin_are_exact(tmp_path):
    affine = np.diag([0.01, 0.01, 0.01, 1.0])
    affine[:3, 3] = 5e8
    mesh = ball(affine=affine)
    assert mesh.vertices.dtype == np.float64
    mesh.save(str(tmp_path / "ball.ply"))
    positions, _ = read_ply(tmp_path / "ball.ply")
    np.testing.assert_allclose(positions - 5e8, mesh.vertices - 5e8, atol=1e-6)


def test_saved_meshes_without_normals_and_with_long_indices(tmp_path):
    mesh = ball(normals=False, faces_dtype="int64")
    mesh.save(tmp_path / "ball.ply")
    np.testing.assert_array_equal(read_ply(tmp_path / "ball.ply")[1], mesh.faces)


def test_files_that_cannot_be_written_raise_the_error_of_the_cause(tmp_path):
    with pytest.raises(ValueError, match="extension"):
        ball().save(tmp_path / "ball.xyz")
    with pytest.raises(OSError):
        ball().save(tmp_path / "missing" / "ball.ply")


@pytest.mark.parametrize("shown", [ball, skeleton])
def test_pictures_show_the_object(shown):
    zlib = pytest.importorskip("zlib")
    png = shown()._repr_png_()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    assert (width, height) == (480, 360)
    data = b""
    for match in re.finditer(b"IDAT", png):
        (length,) = struct.unpack(">I", png[match.start() - 4 : match.start()])
        data += png[match.end() : match.end() + length]
    assert len(set(zlib.decompress(data))) > 50


@pytest.mark.parametrize("shown", [ball, skeleton])
def test_viewers_are_isolated_from_the_notebook(shown):
    frame = shown()._repr_html_()
    assert frame.startswith("<iframe ") and 'sandbox="allow-scripts"' in frame
    page = html.unescape(re.search('srcdoc="([^"]*)"', frame).group(1))
    assert page.startswith("<!doctype html>") and page.rstrip().endswith("</html>")


def test_empty_objects_are_shown():
    empty = ferrovox.Mesh(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.int32))
    assert empty._repr_html_() is None
    assert empty._repr_png_()[:4] == b"\x89PNG"


def test_pictures_of_invalid_meshes_are_errors():
    wrong = ferrovox.Mesh(np.zeros((2, 3), np.float32), np.array([[0, 1, 5]], np.int32))
    with pytest.raises(ValueError, match="vertex 5"):
        wrong._repr_png_()
