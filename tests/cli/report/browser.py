# SPDX-License-Identifier: GPL-2.0-or-later
"""Drives headless Chromium over a pipe, by the DevTools protocol; Python alone.

    with Browser() as browser:
        page = browser.open("/tmp/report.html")
        page.run("document.title")
"""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--hide-scrollbars", "--remote-debugging-pipe", "--force-device-scale-factor=1"]
PROGRAMS = ["chromium", "chromium-browser", "google-chrome"]


def program():
    """The browser's path, or None."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Browser:
    """One process; what it writes of itself is dropped with its folder."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="waymark-browser-")
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        words = [program(), "--user-data-dir=" + self.folder] + FLAGS + ["about:blank"]
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{commands} 4>&{answers}', "sh"] + words,
            pass_fds=(commands, answers), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.rest, self.number, self.events = b"", 0, []
        return self

    def __exit__(self, *_):
        os.close(self.commands)
        self.process.terminate()
        self.process.wait()
        os.close(self.answers)
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self):
        while b"\0" not in self.rest:
            data = os.read(self.answers, 1 << 20)
            if not data:
                raise RuntimeError("the browser has gone")
            self.rest += data
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                break
            self.events.append(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def open(self, path, width=1280, height=800, dark=False):
        return Page(self, path, width, height, dark)


class Page:
    """A tab with a file in it, that has drawn itself."""

    def __init__(self, browser, path, width, height, dark):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target,
                                    flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.size(width, height)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}])
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.until("document.documentElement?.dataset.ready === 'true'")
        self.settle()

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def run(self, script):
        """The value of an expression, or of the body of an async function that returns."""
        if "return " in script:
            script = "(async () => {" + script + "})()"
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(script + ": " + json.dumps(answer["exceptionDetails"])[:600])
        return answer["result"].get("value")

    def until(self, condition):
        end = time.monotonic() + int(os.environ.get("GUARD", "600"))
        while not self.run("!!(" + condition + ")"):
            if time.monotonic() > end:
                raise RuntimeError("never: " + condition)
            time.sleep(0.05)

    def settle(self):
        """Waits until two pictures have been drawn."""
        self.run("await new Promise((done) => requestAnimationFrame(() => "
                 "requestAnimationFrame(done))); return true")

    def key(self, key, text=""):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key,
                      text=text if kind == "keyDown" else "",
                      windowsVirtualKeyCode={"Enter": 13, "Escape": 27}.get(key, 0))
        self.settle()

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, x0, y0, x1, y1):
        self.mouse("mouseMoved", x0, y0)
        self.mouse("mousePressed", x0, y0, button="left", buttons=1, clickCount=1)
        self.mouse("mouseMoved", (x0 + x1) / 2, (y0 + y1) / 2, button="left", buttons=1)
        self.mouse("mouseMoved", x1, y1, button="left", buttons=1)
        self.mouse("mouseReleased", x1, y1, button="left", clickCount=1)
        self.settle()

    def box(self, selector):
        """Where an element is on the screen, which is scrolled to it: x, y, width, height."""
        return self.run(f"""
            const it = document.querySelector({json.dumps(selector)});
            it.scrollIntoView({{ block: "center" }});
            const box = it.getBoundingClientRect();
            return [box.x, box.y, box.width, box.height]""")

    def picture(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def complaints(self):
        """What was written to the console, thrown, or asked of the network."""
        self.run("1")
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            method, params = event["method"], event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append("thrown: " + json.dumps(params)[:400])
            elif method == "Runtime.consoleAPICalled":
                found.append("console: " + json.dumps(params["args"])[:400])
            elif method == "Log.entryAdded":
                found.append("log: " + params["entry"]["text"])
            elif method == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith(("file:", "about:", "data:")):
                    found.append("network: " + url)
        return found
