"""Display in notebooks."""

from __future__ import annotations

import html

#: Width and height of pictures in pixels.
PICTURE_SIZE = (480, 360)

#: Maximum number of triangles or vertices of a viewer, which is stored in the notebook.
MAX_PAGE_ELEMENTS = 300_000


def frame(page: str) -> str:
    """Return an element that shows a page in isolation from the notebook."""
    return (
        f'<iframe srcdoc="{html.escape(page)}" sandbox="allow-scripts" '
        'style="width: 100%; height: 480px; border: 0"></iframe>'
    )
