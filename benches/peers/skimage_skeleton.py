"""Times thinning with scikit-image (method of Lee), one label at a time. The spacing is ignored."""

import importlib.metadata

import peer


def main():
    options = peer.arguments(__doc__)
    try:
        import numpy
        from skimage.morphology import skeletonize
    except ImportError as error:
        return peer.absent("skeleton", "skimage", error)

    def work(labels, spacing):
        skeletons = {}
        for label in numpy.unique(labels[labels != 0]):
            thinned = skeletonize(labels == label, method="lee")
            skeletons[label] = (numpy.argwhere(thinned), None)
        return skeletons

    note = f"scikit-image {importlib.metadata.version('scikit-image')}, one thread"
    peer.time_skeletons(options, "skimage", numpy, work, "thinning", note)


if __name__ == "__main__":
    main()
