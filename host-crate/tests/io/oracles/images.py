"""Writes MRC, MGH and VTI files with mrcfile, nibabel and VTK to a folder, one line per file as for
tiff.py, and the affine, row by row. The files of AFNI are those of nibabel's tests."""

import os
import sys
import warnings

import mrcfile
import nibabel
import numpy
import vtk
from vtk.util.numpy_support import numpy_to_vtk

warnings.simplefilter("ignore")
folder = sys.argv[1]
random = numpy.random.default_rng(1)
count = 0


def new(name):
    global count
    count += 1
    return os.path.join(folder, "%03d-%s" % (count, name))


def report(path, expected, options="-", affine=None):
    """expected has the axes z, y, x."""
    if not isinstance(expected, str):
        file = os.path.join(folder, os.path.basename(path) + ".%s.npy" % options.replace(" ", "."))
        numpy.save(file, expected.astype(float).ravel())
        expected = file
    affine = numpy.eye(4) if affine is None else affine
    spacing = numpy.linalg.norm(affine[:3, :3], axis=0)
    rows = " ".join(repr(float(it)) for it in affine[:3].ravel())
    print(path, options, expected, " ".join(repr(float(it)) for it in spacing), rows, sep="\t")


def values(dtype, shape=(9, 12, 15)):
    low = -100 if numpy.dtype(dtype).kind in "if" else 0
    return random.integers(low, 120, size=shape).astype(dtype)


for dtype in ["i1", "<i2", "<f4", "<u2", ">i2", ">f4"]:
    path = new("map.mrc")
    data = values(dtype)
    with mrcfile.new(path) as file:
        file.set_data(data)
        file.voxel_size = (1.5, 2.0, 2.5)
        file.header.origin.x = 10
        file.header.origin.z = -7
    if dtype.startswith(">"):
        with open(path, "rb") as file:
            assert file.read(214)[212] == 0x11
    report(path, data, affine=numpy.array([[1.5, 0, 0, 10], [0, 2, 0, 0], [0, 0, 2.5, -7], [0, 0, 0, 1]]))
path = new("stack.mrc")
data = values("<f4", (3, 4, 6, 5))
with mrcfile.new(path) as file:
    file.set_data(data)
    file.set_volume_stack() if data.ndim == 3 else None
for volume in range(3):
    report(path, data[volume], str(volume))
path = new("half.mrc")
data = values("<f2")
with mrcfile.new(path) as file:
    file.set_data(data)
report(path, data)
turn = nibabel.eulerangles.euler2mat(0.3, -0.2, 0.5)
affine = numpy.eye(4)
affine[:3, :3] = turn * [1.25, 2.5, 0.75]
affine[:3, 3] = [-30.5, 12, 99]
for extension in ["mgh", "mgz"]:
    for dtype in ["u1", "i2", "i4", "f4"]:
        path = new("image." + extension)
        data = values(dtype)
        nibabel.save(nibabel.MGHImage(data.T, affine), path)
        report(path, data, affine=nibabel.load(path).affine)
    path = new("series." + extension)
    data = values("f4", (3, 5, 6, 7))
    nibabel.save(nibabel.MGHImage(data.T, affine), path)
    for volume in [0, 2]:
        report(path, data[volume], str(volume), nibabel.load(path).affine)
data_folder = os.path.join(os.path.dirname(nibabel.__file__), "tests", "data")
for name in ["example4d+orig.HEAD", "scaled+tlrc.HEAD"]:
    path = os.path.join(data_folder, name)
    image = nibabel.load(path)
    data = image.get_fdata()
    volumes = range(data.shape[3]) if data.ndim == 4 else [0]
    for volume in volumes:
        report(path, (data[..., volume] if data.ndim == 4 else data).T, str(volume), image.affine)
for mode in ["ascii", "binary", "appended-raw", "appended-base64"]:
    for compressor in [None, "zlib", "lz4"]:
        for dtype in ["u1", "i2", "f4", "f8"]:
            for order in "<>":
                if mode == "ascii" and (compressor or order == ">"):
                    continue
                data = values(dtype, (19, 22, 35))
                image = vtk.vtkImageData()
                image.SetExtent(3, 37, -2, 19, 0, 18)
                image.SetSpacing(1.25, 2.5, 0.75)
                image.SetOrigin(-30.5, 12, 99)
                image.SetDirectionMatrix(*turn.ravel())
                other = numpy_to_vtk(numpy.zeros(data.size), deep=True)
                other.SetName("other")
                image.GetPointData().AddArray(other)
                scalars = numpy_to_vtk(data.ravel(), deep=True)
                scalars.SetName("a<b")
                image.GetPointData().SetScalars(scalars)
                writer = vtk.vtkXMLImageDataWriter()
                path = new("-".join([mode, str(compressor), dtype]) + ".vti")
                writer.SetFileName(path)
                writer.SetInputData(image)
                writer.SetHeaderTypeToUInt64() if order == "<" else writer.SetHeaderTypeToUInt32()
                writer.SetByteOrderToLittleEndian() if order == "<" else writer.SetByteOrderToBigEndian()
                writer.SetBlockSize(4096)
                {"ascii": writer.SetDataModeToAscii, "binary": writer.SetDataModeToBinary}.get(
                    mode, writer.SetDataModeToAppended)()
                writer.SetEncodeAppendedData(mode == "appended-base64")
                writer.SetCompressorTypeToNone() if compressor is None else \
                    writer.SetCompressorTypeToZLib() if compressor == "zlib" else writer.SetCompressorTypeToLZ4()
                assert writer.Write() == 1
                expected = numpy.eye(4)
                expected[:3, :3] = turn * [1.25, 2.5, 0.75]
                expected[:3, 3] = [-30.5, 12, 99] + expected[:3, :3] @ [3, -2, 0]
                report(path, data, affine=expected)
