"""Writes Zarr arrays and OME-NGFF images with zarr-python to a folder, one line per file as for
tiff.py."""

import json
import os
import shutil
import sys
import warnings

import numcodecs
import numpy
import zarr

warnings.simplefilter("ignore")
folder = sys.argv[1]
random = numpy.random.default_rng(1)
count = 0


def values(dtype, shape=(21, 37, 45)):
    low = -100 if numpy.dtype(dtype).kind in "if" else 0
    data = random.integers(low, 120, size=shape)
    data[:, : shape[1] // 2] = 7
    return data.astype(dtype)


def new(name):
    global count
    count += 1
    return os.path.join(folder, "%03d-%s.zarr" % (count, name))


def report(path, expected, options="-", spacing="1 1 1"):
    if not isinstance(expected, str):
        file = path + ".%s.npy" % options.replace(" ", ".")
        numpy.save(file, expected.astype(float).ravel())
        expected = file
    print(path, options, expected, spacing, sep="\t")


def v2(name, data, expected=None, chunks=(8, 16, 20), **options):
    path = new("v2-" + name)
    array = zarr.create_array(path, shape=data.shape, dtype=data.dtype, chunks=chunks,
                              zarr_format=2, **options)
    array[:] = data
    report(path, data if expected is None else expected)
    return path


def v3(name, data, expected=None, chunks=(8, 16, 20), **options):
    path = new("v3-" + name)
    array = zarr.create_array(path, shape=data.shape, dtype=data.dtype, chunks=chunks,
                              zarr_format=3, **options)
    array[:] = data
    report(path, data if expected is None else expected)
    return path


for dtype in ["bool", "u1", "i1", "<u2", ">u2", "<i2", ">i4", "<u4", "<f2", "<f4", ">f8", "<u8", "<i8"]:
    data = values(dtype)
    v2("type", data, compressors=None)
    if not dtype.startswith(">"):
        v3("type", data, compressors=None)
for shuffle in [0, 1, 2]:
    for name in ["blosclz", "lz4", "lz4hc", "zlib", "zstd"]:
        for dtype in ["u1", "<u2", "<f8"]:
            codec = numcodecs.Blosc(cname=name, shuffle=shuffle)
            v2("blosc-%s-%d" % (name, shuffle), values(dtype), compressors=codec)
# Several blocks of blosc, and a last one that is shorter.
codec = numcodecs.Blosc(cname="lz4", shuffle=1, blocksize=1000)
v2("blosc-blocks", values("<f4"), compressors=codec)
codec = numcodecs.Blosc(cname="blosclz", clevel=9, shuffle=1)
v2("blosc-noise", random.normal(size=(20, 60, 60)), chunks=(20, 60, 60), compressors=codec)
v2("blosc-repeats", numpy.tile(random.integers(0, 250, 9000), 8).reshape(20, 60, 60).astype("<u2"),
   chunks=(20, 60, 60), compressors=codec)
for codec in [numcodecs.Zlib(), numcodecs.GZip(), numcodecs.Zstd(), numcodecs.BZ2(), numcodecs.LZ4()]:
    v2("codec", values("<i2"), compressors=codec)
v2("fortran", values("<i2"), order="F", compressors=numcodecs.Zstd())
v2("slashes", values("<i2"), chunk_key_encoding={"name": "v2", "separator": "/"})
v2("delta", values("<i2"), "!codec delta is not supported", filters=[numcodecs.Delta(dtype="<i2")])
v2("lzma", values("<i2"), "!codec lzma is not supported", compressors=numcodecs.LZMA())
for name, codec in [("gzip", zarr.codecs.GzipCodec()), ("zstd", zarr.codecs.ZstdCodec(checksum=True)),
                    ("blosc", zarr.codecs.BloscCodec(cname="zstd", shuffle="bitshuffle"))]:
    v3(name, values("<i2"), compressors=codec)
    v3(name + "-shards", values("<f4"), chunks=(4, 8, 10), shards=(8, 16, 20), compressors=codec)
v3("big", values("<i4"), serializer=zarr.codecs.BytesCodec(endian="big"))
v3("transpose", values("<i4"), filters=zarr.codecs.TransposeCodec(order=(2, 0, 1)))
v3("crc", values("<i4"), compressors=zarr.codecs.Crc32cCodec())
path = new("v3-index-first")
data = values("<i4")
array = zarr.create_array(path, shape=data.shape, dtype=data.dtype, chunks=(8, 16, 20), zarr_format=3,
                          serializer=zarr.codecs.ShardingCodec(chunk_shape=(4, 8, 10), index_location="start"),
                          compressors=None)
array[:] = data
report(path, data)
# Missing chunks and shards.
for version in [2, 3]:
    for options in [{}] if version == 2 else [{}, {"shards": (16, 32, 40)}]:
        path = new("missing")
        array = zarr.create_array(path, shape=(21, 37, 45), dtype="<i2", chunks=(8, 16, 20), fill_value=-7,
                                  zarr_format=version, config={"write_empty_chunks": False}, **options)
        array[3:12, :20] = 5
        report(path, array[:])
# Images of OME-NGFF: time, channel, z, y, x, with two levels.
for version in [2, 3]:
    path = new("ome")
    group = zarr.open_group(path, mode="w", zarr_format=version)
    data = values("<u2", (3, 2, 12, 20, 31))
    for level in range(2):
        part = data[..., :: 2 ** level, :: 2 ** level]
        array = group.create_array(str(level), shape=part.shape, dtype=part.dtype, chunks=(1, 1, 5, 8, 9))
        array[:] = part
    multiscales = [{
        "version": "0.4",
        "axes": [{"name": "t", "type": "time"}, {"name": "c", "type": "channel"}] + [
            {"name": it, "type": "space", "unit": "micrometer"} for it in "zyx"],
        "datasets": [{"path": str(level), "coordinateTransformations": [
            {"type": "scale", "scale": [1, 1, 2.0, 0.5 * 2 ** level, 0.25 * 2 ** level]}]} for level in range(2)],
        "coordinateTransformations": [{"type": "scale", "scale": [1, 1, 1, 2, 2]}]}]
    if version == 2:
        group.attrs["multiscales"] = multiscales
    else:
        group.attrs["ome"] = {"version": "0.5", "multiscales": multiscales}
    report(path, data[0, 0], "0 0", "0.5 1.0 2.0")
    report(path, data[2, 1], "2 1", "0.5 1.0 2.0")
    report(path, data[1, 1, :, ::2, ::2], "1 1 1", "1.0 2.0 2.0")
    archive = shutil.make_archive(path, "zip", path)
    report(archive, data[2, 1], "2 1", "0.5 1.0 2.0")
    archive = shutil.make_archive(path + "-prefix", "zip", folder, os.path.basename(path))
    report(archive, data[1, 0], "1 0", "0.5 1.0 2.0")
# A path out of the hierarchy, a link out of it, and damaged chunks.
path = new("outside")
os.mkdir(path)
with open(os.path.join(path, ".zattrs"), "w") as file:
    json.dump({"multiscales": [{"datasets": [{"path": "../000"}]}]}, file)
report(path, "!leaves the hierarchy")
path = v2("link", values("u1"), "!is a link out of the folder", compressors=None)
chunk = os.path.join(path, "0.0.0")
os.remove(chunk)
os.symlink("/etc/hostname", chunk)
path = v2("short", values("u1"), "!instead of 2560", compressors=None)
os.truncate(os.path.join(path, "1.1.1"), 100)
path = v2("damaged", values("u1"), "!a chunk cannot be decoded (zstd)", compressors=numcodecs.Zstd())
with open(os.path.join(path, "1.1.1"), "wb") as file:
    file.write(b"nonsense")
