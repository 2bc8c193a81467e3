"""Draws a mesh offscreen with VTK into a PNG: a whole process, to compare with `ferrovox render`.

usage: vtk_render.py MESH.ply OUT.png [WIDTHxHEIGHT]

`picture.py` measures both with the same mesh and size.
"""

import sys


def main():
    import vtkmodules.vtkRenderingOpenGL2  # noqa: F401 - registers the implementation
    from vtkmodules.vtkIOImage import vtkPNGWriter
    from vtkmodules.vtkIOPLY import vtkPLYReader
    from vtkmodules.vtkRenderingCore import (
        vtkActor,
        vtkPolyDataMapper,
        vtkRenderer,
        vtkRenderWindow,
        vtkWindowToImageFilter,
    )

    mesh, picture = sys.argv[1:3]
    size = sys.argv[3] if len(sys.argv) > 3 else "800x600"
    reader = vtkPLYReader()
    reader.SetFileName(mesh)
    mapper = vtkPolyDataMapper()
    mapper.SetInputConnection(reader.GetOutputPort())
    actor = vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetColor(0.85, 0.72, 0.62)
    renderer = vtkRenderer()
    renderer.SetBackground(1, 1, 1)
    renderer.AddActor(actor)
    renderer.GetActiveCamera().ParallelProjectionOn()
    window = vtkRenderWindow()
    window.SetOffScreenRendering(True)
    window.SetMultiSamples(4)
    window.SetSize(*map(int, size.split("x")))
    window.AddRenderer(renderer)
    renderer.ResetCamera()
    window.Render()
    capture = vtkWindowToImageFilter()
    capture.SetInput(window)
    writer = vtkPNGWriter()
    writer.SetFileName(picture)
    writer.SetInputConnection(capture.GetOutputPort())
    writer.Write()


if __name__ == "__main__":
    main()
