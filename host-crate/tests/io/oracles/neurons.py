"""Copies the meshes of the package navis, if it is installed, to a folder.

    python3 neurons.py FOLDER

The package is located but not imported, as it is installed without its dependencies.
"""

import glob
import importlib.util
import os
import shutil
import sys

spec = importlib.util.find_spec("navis")
for package in spec.submodule_search_locations if spec else []:
    for mesh in glob.glob(os.path.join(package, "data", "obj", "*.obj")):
        shutil.copy(mesh, sys.argv[1])
