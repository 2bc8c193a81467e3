"""Reads the volumes of a folder with SimpleITK. Prints one line per file: name, npy file with the
samples as float64, numbers of samples along x, y and z, and the affine in RAS, row by row."""

import os
import sys

import numpy
import SimpleITK

folder, output = sys.argv[1:3]
for name in sorted(os.listdir(folder)):
    image = SimpleITK.ReadImage(os.path.join(folder, name))
    samples = os.path.join(output, name + ".npy")
    numpy.save(samples, SimpleITK.GetArrayFromImage(image).astype("<f8").ravel())
    # ITK's positions are LPS.
    to_ras = numpy.diag([-1.0, -1.0, 1.0])
    directions = numpy.reshape(image.GetDirection(), (3, 3))
    affine = numpy.eye(4)
    affine[:3, :3] = to_ras @ directions * image.GetSpacing()
    affine[:3, 3] = to_ras @ image.GetOrigin()
    numbers = [*image.GetSize(), *affine[:3].ravel()]
    print(name, samples, *[repr(float(number)) for number in numbers], sep="\t")
