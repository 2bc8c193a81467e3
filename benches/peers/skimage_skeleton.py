"""Times scikit-image's thinning after Lee, a label at a time. Spacing is not looked at."""

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
        made = {}
        for label in numpy.unique(labels[labels != 0]):
            thinned = skeletonize(labels == label, method="lee")
            made[label] = (numpy.argwhere(thinned), None)
        return made

    note = f"scikit-image {importlib.metadata.version('scikit-image')}, one thread"
    peer.time_skeletons(options, "skimage", numpy, work, "thinning", note)


if __name__ == "__main__":
    main()
