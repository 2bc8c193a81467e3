"""Times SciPy's distance_transform_edt and, if installed, SimpleITK's Maurer filter, on the CPU."""

import peer


def scipy(options):
    try:
        import numpy
        import scipy
        from scipy.ndimage import distance_transform_edt
    except ImportError as error:
        return peer.absent("distance", "scipy", error)

    def prepare(sites):
        others = ~sites
        return lambda: distance_transform_edt(others)

    note = f"SciPy {scipy.__version__}, 1 thread, f64"
    peer.time_maps(options, "scipy", numpy, prepare, "cpu", "distance_transform_edt", note)


def itk(options):
    try:
        import numpy
        import SimpleITK
    except ImportError as error:
        return peer.absent("distance", "itk", error)

    def prepare(sites):
        image = SimpleITK.GetImageFromArray(sites.astype(numpy.uint8))
        return lambda: SimpleITK.SignedMaurerDistanceMap(image, squaredDistance=False, useImageSpacing=False)

    threads = SimpleITK.ProcessObject.GetGlobalDefaultNumberOfThreads()
    note = f"SimpleITK {SimpleITK.Version.VersionString()}, {threads} threads, with a sign"
    peer.time_maps(options, "itk", numpy, prepare, "cpu", "SignedMaurerDistanceMap", note)


if __name__ == "__main__":
    scipy(peer.arguments(__doc__))
    itk(peer.arguments(__doc__))
