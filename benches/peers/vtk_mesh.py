"""Times VTK's Flying Edges (vtkFlyingEdges3D) on all CPU threads, without normals, gradients and scalars."""

import os

import peer


def main():
    options = peer.arguments(__doc__)
    try:
        import numpy
        from vtkmodules.util.numpy_support import numpy_to_vtk
        from vtkmodules.vtkCommonCore import vtkSMPTools, vtkVersion
        from vtkmodules.vtkCommonDataModel import vtkImageData
        from vtkmodules.vtkFiltersCore import vtkFlyingEdges3D
    except ImportError as error:
        return peer.absent("mesh", "vtk", error)

    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    vtkSMPTools.SetBackend("STDThread")
    vtkSMPTools.Initialize(threads)

    def prepare(volume):
        image = vtkImageData()
        image.SetDimensions(volume.shape[2], volume.shape[1], volume.shape[0])
        scalars = numpy_to_vtk(volume.ravel(), deep=False)
        scalars.SetName("field")
        image.GetPointData().SetScalars(scalars)

        def work():
            # A new filter per run, so that no results are cached.
            contour = vtkFlyingEdges3D()
            contour.SetInputData(image)
            contour.ComputeNormalsOff()
            contour.ComputeGradientsOff()
            contour.ComputeScalarsOff()
            contour.SetValue(0, 0.0)
            contour.Update()
            surface = contour.GetOutput()
            return surface.GetNumberOfPoints(), surface.GetNumberOfCells()

        return work

    note = f"VTK {vtkVersion.GetVTKVersion()}, {vtkSMPTools.GetBackend()}, {threads} threads"
    peer.time_meshes(options, "vtk", numpy, prepare, "cpu", note)


if __name__ == "__main__":
    main()
