"""Writes the values of pydicom's test files to npy files in a folder, one line per file:
path, npy file. Values are rescaled; frames are in the order of the file."""

import os
import sys
import warnings

import numpy
import pydicom

warnings.simplefilter("ignore")
folder = sys.argv[1]
source = os.path.join(os.path.dirname(pydicom.__file__), "data", "test_files")
for name in sorted(os.listdir(source)):
    path = os.path.join(source, name)
    if not os.path.isfile(path):
        continue
    try:
        data = pydicom.dcmread(path)
        values = data.pixel_array.astype(float)
    except Exception:
        continue
    slope = float(data.get("RescaleSlope", None) or data.get("DoseGridScaling", None) or 1)
    values = values * slope + float(data.get("RescaleIntercept", None) or 0)
    output = os.path.join(folder, name + ".npy")
    numpy.save(output, values)
    print(path, output, data.file_meta.get("TransferSyntaxUID", "-"), sep="\t")
