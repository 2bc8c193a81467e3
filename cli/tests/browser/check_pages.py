"""Checks of pages of `ferrovox view` in a headless Chromium.

usage: check_pages.py FOLDER CHECK IMAGES

FOLDER contains the pages that the test `view.rs` has written; CHECK is the name of a function
below; IMAGES is the folder of the documents' pictures. Screenshots are written into FOLDER.
"""

import base64
import html
import json
import os
import sys
import time

from devtools import Browser

# Functions in the page: the picture of the scene without what is over it, the box of the pixels
# that differ from the background in the upper left corner, and the number of pixels that differ
# between two pictures, within and outside a box.
HELPERS = """
window.grab = () => {
  viewer.picture();
  const canvas = document.createElement("canvas");
  canvas.width = viewer.canvas.width; canvas.height = viewer.canvas.height;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(viewer.canvas, 0, 0);
  return context.getImageData(0, 0, canvas.width, canvas.height);
};
window.differs = (a, i, b, j, by) => [0, 1, 2].some(k => Math.abs(a[4 * i + k] - b[4 * j + k]) > by);
window.box = image => {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  let count = 0;
  for (let y = 0; y < image.height; y++) for (let x = 0; x < image.width; x++) {
    if (!differs(image.data, y * image.width + x, image.data, 0, 60)) continue;
    count++;
    box[0] = Math.min(box[0], x); box[1] = Math.min(box[1], y);
    box[2] = Math.max(box[2], x + 1); box[3] = Math.max(box[3], y + 1);
  }
  return { box, count };
};
window.changes = (a, b) => {
  let count = 0;
  for (let i = 0; i < a.width * a.height; i++) if (differs(a.data, i, b.data, i, 8)) count++;
  return count;
};
window.saved = {};
0
"""


def address(folder, name):
    return "file://" + os.path.abspath(os.path.join(folder, name))


def compare_with_document(browser, screenshot, picture):
    """The picture of the documents shows the page as it is, up to fonts and rounding."""
    sources = []
    for path in [screenshot, picture]:
        with open(path, "rb") as file:
            sources.append(base64.b64encode(file.read()).decode())
    browser.open("about:blank")
    difference = browser.evaluate(
        "(async sources => { const images = []; for (const source of sources) {"
        "const image = new Image(); image.src = 'data:image/png;base64,' + source; await image.decode();"
        "const canvas = document.createElement('canvas'); canvas.width = image.width; canvas.height = image.height;"
        "const context = canvas.getContext('2d'); context.drawImage(image, 0, 0);"
        "images.push(context.getImageData(0, 0, canvas.width, canvas.height)); }"
        "const [a, b] = images; if (a.width !== b.width || a.height !== b.height) return 255;"
        "let sum = 0; for (let i = 0; i < a.data.length; i++) sum += Math.abs(a.data[i] - b.data[i]);"
        "return sum / a.data.length; })(%s)" % json.dumps(sources)
    )
    print(f"{os.path.basename(picture)}: mean difference {difference:.2f} of 255")
    assert difference < 2, f"{picture} is not current; replace it by {screenshot}"


def load(browser, folder, name, size=(800, 600), ratio=1, is_mobile=False):
    browser.set_size(*size, ratio, is_mobile)
    browser.set_theme("light")
    browser.open(address(folder, name))
    browser.settle()
    browser.evaluate(HELPERS)


def check_clean(browser, folder, name):
    """No request leaves the page, and the console has no errors."""
    requests = [url for url in browser.requests() if url != address(folder, name)]
    assert not requests, requests
    assert not browser.problems(), browser.problems()


def sphere(folder):
    """The silhouette of a ball of radius 20 around (10, -5, 30) is where it belongs."""
    with Browser() as browser:
        load(browser, folder, "ball.html")
        for key in ["1", "3", "5", "r"]:
            browser.press(key)
            browser.settle()
            expected = browser.evaluate(
                "(() => { const [x, y] = viewer.project([10, -5, 30]);"
                "const r = 20 * viewer.stage.clientHeight / viewer.camera.height;"
                "return [x - r, y - r, x + r, y + r]; })()"
            )
            found = browser.evaluate("box(grab()).box")
            off = max(abs(a - b) for a, b in zip(expected, found))
            assert off <= 2, (key, expected, found)
            filled = (found[3] - found[1]) / browser.evaluate("viewer.stage.clientHeight")
            filled = max(filled, (found[2] - found[0]) / browser.evaluate("viewer.stage.clientWidth"))
            assert filled >= 0.85, filled
            print(f"view {key}: silhouette within {off:.2f} pixels, fills {filled:.0%}")
        # a distance measured between the left and the right end of the middle
        browser.press("1")
        browser.press("m")
        browser.settle()
        center = browser.evaluate("viewer.project([10, -5, 30])")
        scale = browser.evaluate("viewer.stage.clientHeight / viewer.camera.height")
        for offset in [-12, 12]:
            browser.click(center[0] + offset * scale, center[1])
            browser.settle()
        points = browser.evaluate("viewer.measurement.points")
        assert len(points) == 2, points
        length = sum((a - b) ** 2 for a, b in zip(*points)) ** 0.5
        assert abs(length - 24) < 0.5, (length, points)
        for point in points:
            radius = sum((a - b) ** 2 for a, b in zip(point, [10, -5, 30])) ** 0.5
            assert abs(radius - 20) < 0.3, (radius, point)
        print(f"measured {length:.2f} instead of 24")
        check_clean(browser, folder, "ball.html")
        browser.screenshot(os.path.join(folder, "ball.png"))


def keys(folder):
    """Each key changes the pixels it should."""
    with Browser() as browser:
        load(browser, folder, "scene.html", (760, 400))
        downloads = os.path.join(folder, "downloads")
        browser.call("Browser.setDownloadBehavior", session=None, behavior="allow", downloadPath=downloads)

        def changed(key, restore=None):
            browser.evaluate("saved.before = grab(); 0")
            browser.press(key)
            browser.settle()
            count = browser.evaluate("(saved.after = grab(), changes(saved.before, saved.after))")
            total = browser.evaluate("saved.after.width * saved.after.height")
            if restore is not None:
                browser.press(restore)
                browser.settle()
                back = browser.evaluate("changes(saved.before, grab())")
                assert back == 0, (key, back)
            print(f"key {key}: {count / total:.2%} of the pixels")
            return count / total

        for key in ["2", "3", "4", "5", "6", "1", "ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"]:
            assert changed(key) > 0.005, key
        assert changed("r") > 0.005
        assert changed("+") > 0.005
        assert changed("-") > 0.005
        browser.press("r")
        browser.settle()
        assert changed("k", "k") > 0.005
        for key in "xyz":
            assert changed(key, key) > 0.005, key
        # a more transparent surface shows slices; its outline stays
        browser.press("k")
        browser.settle()
        whole = browser.evaluate("box(grab()).count")
        assert changed("o") > 0.01
        assert abs(browser.evaluate("box(grab()).count") - whole) < 0.1 * whole
        assert changed("p") > 0.01
        # the plane removes a part of the surface, and of the skeleton in it
        assert changed("c", "c") > 0.01
        browser.press("c")
        assert changed("[") > 0.001 and changed("]") > 0.001
        clipped = browser.evaluate("box(grab()).count")
        assert clipped < whole, (clipped, whole)
        browser.press("c")
        # the background changes everywhere
        assert changed("t", "t") > 0.5
        width = browser.evaluate("viewer.stage.clientWidth")
        browser.press("g")
        browser.wait("viewer.stage.clientWidth > %d" % width)
        browser.press("g")
        browser.wait("viewer.stage.clientWidth == %d" % width)
        browser.press("m")
        assert not browser.evaluate("document.getElementById('hint').hidden")
        browser.press("m")
        assert browser.evaluate("document.getElementById('hint').hidden")
        browser.press("h")
        assert browser.evaluate("document.getElementById('help').open")
        browser.evaluate("document.getElementById('help').close()")
        browser.press("?")
        assert browser.evaluate("document.getElementById('help').open")
        listed = browser.evaluate("document.getElementById('help').textContent")
        for action in browser.evaluate("viewer.actions.map(action => action.text)"):
            assert action in listed, action
        browser.screenshot(os.path.join(folder, "help.png"))
        browser.evaluate("document.getElementById('help').close()")
        browser.press("s")
        deadline = time.monotonic() + 20
        while not any(name.endswith(".png") for name in (os.listdir(downloads) if os.path.isdir(downloads) else [])):
            assert time.monotonic() < deadline, "no picture was saved"
            time.sleep(0.1)
        check_clean(browser, folder, "scene.html")


def layers(folder):
    """A skeleton is visible through a surface and follows the clip plane; air is transparent."""
    with Browser() as browser:
        load(browser, folder, "scene.html", (760, 400))
        browser.press("k")
        browser.settle()
        # the skeleton is drawn half-transparent in front of an opaque surface
        shown = browser.evaluate(
            "(() => { const curve = viewer.scene.items.find(item => item.kind === 'skeleton');"
            "saved.before = grab(); curve.visible = false; viewer.changed(); saved.after = grab();"
            "curve.visible = true; viewer.changed(); return changes(saved.before, saved.after); })()"
        )
        assert shown > 50, shown
        # only slices: the corners of the volume are air, where the background shows
        background = browser.evaluate(
            "(() => { for (const item of viewer.scene.items) item.visible = item.kind === 'volume';"
            "viewer.fit(); viewer.changed(); const image = grab(); const { box: b, count } = box(image);"
            "return [count, (b[2] - b[0]) * (b[3] - b[1]), image.width * image.height]; })()"
        )
        count, around, total = background
        assert 0.05 * total < count < 0.9 * around, background
        # the clip plane removes everything when it is moved to the end
        left = browser.evaluate(
            "(() => { for (const item of viewer.scene.items) item.visible = item.kind === 'skeleton';"
            "viewer.fit(); viewer.state.clip.on = true; viewer.state.clip.position = -0.01;"
            "viewer.changed(); const none = box(grab()).count; viewer.state.clip.position = 0.5;"
            "viewer.changed(); const half = box(grab()).count; viewer.state.clip.position = 1.01;"
            "viewer.changed(); return [none, half, box(grab()).count]; })()"
        )
        assert left[0] == 0 and 0 < left[1] < left[2], left
        check_clean(browser, folder, "scene.html")


def frame(folder):
    """The page works in a sandboxed frame."""
    with open(os.path.join(folder, "ball.html"), encoding="utf-8") as file:
        page = file.read()
    host = os.path.join(folder, "host.html")
    with open(host, "w", encoding="utf-8") as file:
        file.write(
            "<!doctype html><body style='margin:0'><iframe sandbox='allow-scripts' width=800 height=600 "
            f"style='border:0' srcdoc=\"{html.escape(page)}\"></iframe>"
        )
    with Browser() as browser:
        browser.set_size(800, 600)
        browser.set_theme("light")
        browser.open(address(folder, "host.html"))
        deadline = time.monotonic() + 60
        colored = 0
        while colored < 20000:
            assert time.monotonic() < deadline, f"{colored} pixels are coloured"
            time.sleep(0.5)
            data = browser.call("Page.captureScreenshot", format="png")["data"]
            # salmon, the colour of the first surface
            colored = browser.evaluate(
                "(async () => { const image = new Image(); image.src = 'data:image/png;base64,%s';"
                "await image.decode(); const canvas = document.createElement('canvas');"
                "canvas.width = image.width; canvas.height = image.height;"
                "const context = canvas.getContext('2d'); context.drawImage(image, 0, 0);"
                "const { data } = context.getImageData(0, 0, canvas.width, canvas.height); let count = 0;"
                "for (let i = 0; i < data.length; i += 4) if (data[i] > data[i + 2] + 25) count++;"
                "return count; })()" % data
            )
        with open(os.path.join(folder, "frame.png"), "wb") as file:
            file.write(base64.b64decode(data))
        print(f"{colored} coloured pixels in the frame")
        assert not browser.problems(), browser.problems()


def phone(folder):
    """The page fits the width of a phone, also in the dark."""
    with Browser() as browser:
        load(browser, folder, "scene.html", (390, 844), 2, True)
        browser.set_theme("dark")
        browser.open(address(folder, "scene.html"))
        browser.settle()
        assert browser.evaluate("document.documentElement.dataset.theme") == "dark"
        assert browser.evaluate("document.documentElement.scrollWidth") <= 390
        assert browser.evaluate("viewer.stage.clientWidth") == 390
        assert browser.evaluate("viewer.stage.clientHeight") > 400
        assert browser.evaluate("document.getElementById('panel').scrollWidth") <= 390
        check_clean(browser, folder, "scene.html")
        browser.screenshot(os.path.join(folder, "phone.png"))


def message(folder):
    """Without WebGL the page says what is missing."""
    with Browser(has_graphics=False) as browser:
        browser.open(address(folder, "ball.html"))
        browser.wait("document.getElementById('message')?.textContent.includes('WebGL 2')", 20)
        assert not browser.evaluate("document.getElementById('message').hidden")


def large(folder):
    """Prints the time of a frame with 500 thousand triangles, which software draws too."""
    with Browser() as browser:
        load(browser, folder, "brain.html", (1100, 720))
        check_clean(browser, folder, "brain.html")
        screenshot = os.path.join(folder, "page.png")
        browser.screenshot(screenshot)
        triangles = browser.evaluate(
            "viewer.scene.items.filter(item => item.kind === 'mesh').reduce((sum, item) => sum + item.triangles, 0)"
        )
        assert triangles > 490_000, triangles
        times = browser.evaluate(
            "(() => { const gl = viewer.renderer.gl; const times = []; for (let k = 0; k < 6; k++) {"
            "viewer.camera.orbit(5, 0); viewer.renderer.invalidate(); const start = performance.now();"
            "viewer.renderer.draw(viewer.frame()); gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));"
            "times.push(performance.now() - start); } return times.slice(1); })()"
        )
        milliseconds = sorted(times)[len(times) // 2]
        print(f"{triangles} triangles: {milliseconds:.0f} ms per frame in software")
        assert milliseconds < 5000, times
        compare_with_document(browser, screenshot, os.path.join(IMAGES, "page.png"))


if __name__ == "__main__":
    _, FOLDER, CHECK, IMAGES = sys.argv
    globals()[CHECK](FOLDER)
    print(json.dumps({"check": CHECK, "passed": True}))
