"""Control of a headless Chromium by the DevTools protocol, over pipes.

Only the standard library is used: with --remote-debugging-pipe, Chromium reads JSON messages that
end with a zero byte from file descriptor 3, and writes them to 4.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ["chromium", "chromium-browser", "google-chrome", "chrome"]
FLAGS = [
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--no-first-run",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
]
SOFTWARE_GRAPHICS = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
NO_GRAPHICS = ["--disable-gpu", "--disable-3d-apis", "--disable-webgl", "--disable-webgl2"]


class Browser:
    """A running Chromium with one page."""

    def __init__(self, has_graphics=True):
        program = next(filter(None, map(shutil.which, NAMES)), None)
        if program is None:
            raise RuntimeError("Chromium is missing: apt-get install chromium")
        self.profile = tempfile.mkdtemp(prefix="ferrovox-chromium-")
        to_browser, self.out = os.pipe()
        self.input, from_browser = os.pipe()

        def inherit():
            os.dup2(os.dup(to_browser), 13)
            os.dup2(os.dup(from_browser), 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        flags = FLAGS + (SOFTWARE_GRAPHICS if has_graphics else NO_GRAPHICS)
        self.process = subprocess.Popen(
            [program, *flags, f"--user-data-dir={self.profile}", "about:blank"],
            preexec_fn=inherit,
            close_fds=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.next_id = 0
        self.events = []
        targets = self.call("Target.getTargets", session=None)["targetInfos"]
        target = next(it for it in targets if it["type"] == "page")["targetId"]
        attached = self.call("Target.attachToTarget", session=None, targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ["Page", "Runtime", "Network", "Log"]:
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close", session=None)
            self.process.wait(10)
        except (RuntimeError, TimeoutError, subprocess.TimeoutExpired, BrokenPipeError):
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self, timeout):
        """Returns the next message, or None after `timeout` seconds."""
        deadline = time.monotonic() + timeout
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.input], [], [], left)[0]:
                return None
            chunk = os.read(self.input, 1 << 20)
            if not chunk:
                raise RuntimeError("Chromium ended")
            self.buffer += chunk
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session="own", timeout=120, **params):
        """Calls a method of the protocol and returns its result."""
        self.next_id += 1
        message = {"id": self.next_id, "method": method, "params": params}
        if session == "own":
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + timeout
        while True:
            answer = self.receive(deadline - time.monotonic())
            if answer is None:
                raise TimeoutError(method)
            if answer.get("id") == self.next_id:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def set_size(self, width, height, ratio=1, is_mobile=False):
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=ratio, mobile=is_mobile,
        )

    def set_theme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def open(self, url):
        self.events.clear()
        self.call("Page.navigate", url=url)

    def evaluate(self, expression):
        """Evaluates JavaScript and returns its value; promises are awaited."""
        result = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True,
        )
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            text = details.get("exception", {}).get("description") or details["text"]
            raise RuntimeError(f"{expression}: {text}")
        return result["result"].get("value")

    def wait(self, condition, timeout=120):
        """Waits until an expression is true."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            if self.evaluate(f"Boolean({condition})"):
                return
            time.sleep(0.05)
        raise TimeoutError(condition)

    def settle(self):
        """Waits until the page is loaded and its picture complete."""
        self.wait("window.viewer && viewer.isSettled")

    def press(self, key):
        codes = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        params = {"key": key, "windowsVirtualKeyCode": codes.get(key, ord(key[0].upper()))}
        if len(key) == 1:
            params["text"] = key
        self.call("Input.dispatchKeyEvent", type="keyDown", **params)
        self.call("Input.dispatchKeyEvent", type="keyUp", **params)

    def drag(self, start, end, button="left"):
        (x, y), (to_x, to_y) = start, end
        mouse = lambda kind, x, y, buttons: self.call(
            "Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=buttons, clickCount=1,
        )
        mouse("mousePressed", x, y, 1)
        if (x, y) != (to_x, to_y):
            mouse("mouseMoved", (x + to_x) / 2, (y + to_y) / 2, 1)
            mouse("mouseMoved", to_x, to_y, 1)
        mouse("mouseReleased", to_x, to_y, 0)

    def click(self, x, y):
        self.drag((x, y), (x, y))

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def requests(self):
        """Returns the addresses that the page requested, apart from itself and its own data."""
        self.evaluate("0")
        sent = [it["params"]["request"]["url"] for it in self.events if it.get("method") == "Network.requestWillBeSent"]
        return [url for url in sent if not url.startswith(("data:", "blob:", "about:"))]

    def problems(self):
        """Returns messages of errors and warnings on the console, and exceptions."""
        self.evaluate("0")
        found = []
        for event in self.events:
            params = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(params["exceptionDetails"].get("exception", {}).get("description", "exception"))
            if event.get("method") == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                found.append(" ".join(str(it.get("value")) for it in params["args"]))
            if event.get("method") == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
        return found
