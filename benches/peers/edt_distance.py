"""Times the package `edt` on all CPU threads."""

import importlib.metadata
import os

import peer


def main():
    options = peer.arguments(__doc__)
    try:
        import edt
        import numpy
    except ImportError as error:
        return peer.absent("distance", "edt", error)
    threads = len(os.sched_getaffinity(0))

    def prepare(sites):
        # The distance of nonzero voxels to the nearest zero voxel, without a border of zeros around the volume.
        others = numpy.ascontiguousarray(~sites)
        return lambda: edt.edt(others, black_border=False, parallel=threads)

    note = f"edt {importlib.metadata.version('edt')}, {threads} threads"
    peer.time_maps(options, "edt", numpy, prepare, "cpu", "edt", note)


if __name__ == "__main__":
    main()
