"""Starts apps, inspectors and a headless Chromium for the tests of the page.

SPINHOST and INSPECTOR name the programs. An inspector takes `--socket PATH`, and `--write` if events may be
sent, and prints `inspector: URL` when it listens.
"""

import json
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, TimeoutException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
# How long a condition may take on a busy machine. No test passes or fails by how fast it is.
PATIENCE = int(os.environ.get("PATIENCE", "60"))


def program(name, default):
    """The path of a program that the environment names."""
    path = os.environ.get(name) or str(default)
    if not os.access(path, os.X_OK):
        raise SystemExit(f"browser tests: {name} names no program: {path}")
    return path


class Process:
    """A child that ends with its test."""

    def __init__(self, command, environment, log):
        with open(log, "ab") as errors:
            self.child = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                          stderr=errors, text=True)

    def end(self, with_signal=signal.SIGTERM):
        if self.child.poll() is None:
            self.child.send_signal(with_signal)
        try:
            self.child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        self.child.stdout.close()


class App:
    """A running app, and an inspector that shows it."""

    def __init__(self, manifest, write=False, arguments=(), verb="run"):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="inspector-"))
        self.manifest = pathlib.Path(manifest)
        self.arguments = list(arguments)
        self.verb = verb
        self.name = re.search(r'app\.name\s*=\s*"([^"]+)"', self.manifest.read_text()).group(1)
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=str(self.folder))
        self.environment.pop("NOTIFY_SOCKET", None)
        self.socket = self.folder / "spinhost" / f"{self.name}.sock"
        self.spinhost = program("SPINHOST", ROOT / ".build/debug/spinhost")
        self.host = None
        self.start()
        self.write = write
        self.start_inspector()

    def start_inspector(self, *arguments):
        """Starts an inspector, and waits until it listens."""
        self.inspector = Process(
            [program("INSPECTOR", pathlib.Path(self.spinhost).parent / "spinhost-inspector"), "--socket", str(self.socket)]
            + (["--write"] if self.write else []) + list(arguments), self.environment, self.folder / "inspector.log")
        ready, _, _ = select.select([self.inspector.child.stdout], [], [], PATIENCE)
        line = self.inspector.child.stdout.readline() if ready else ""
        if not line.startswith("inspector: "):
            raise AssertionError(f"the inspector did not start: {line}{(self.folder / 'inspector.log').read_text()}")
        self.url = line.removeprefix("inspector: ").strip()

    def start(self):
        """Starts the host, and waits until it takes requests."""
        self.host = Process([self.spinhost, self.verb, "--control", "--quiet", "--manifest", str(self.manifest), *self.arguments],
                            self.environment, self.folder / "host.log")
        end = time.monotonic() + PATIENCE
        while self.command("state", check=False).returncode != 0:
            if self.host.child.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"the host has ended, or takes no request: {(self.folder / 'host.log').read_text()}")

    def command(self, *arguments, check=True):
        """Runs a command of spinhost for this app."""
        result = subprocess.run([self.spinhost, *arguments, "--app", self.name], env=self.environment,
                                capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if check and result.returncode != 0:
            raise AssertionError(f"spinhost {' '.join(arguments)}: {result.stderr}{result.stdout}")
        return result

    def send(self, event, **payload):
        """Sends an event."""
        return self.command("send", event, json.dumps(payload))

    def end_host(self):
        self.host.end()

    def end(self):
        self.inspector.end()
        self.host.end()
        shutil.rmtree(self.folder, ignore_errors=True)


def browser(width=1400, height=900, dark=False):
    """A headless Chromium."""
    options = Options()
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars", "--disable-gpu", "--lang=en-US"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(os.environ.get("CHROMEDRIVER", "/usr/bin/chromedriver")))
    look(driver, width, height, dark)
    return driver


def look(driver, width, height=900, dark=False):
    """Sets the size of the page and its scheme of colours."""
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                           {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})


class PageTest(unittest.TestCase):
    """A test with one app and one page. `manifest`, `write`, `arguments` and `verb` choose the app."""

    manifest = HERE / "app.toml"
    write = False
    arguments = ()
    verb = "run"

    @classmethod
    def setUpClass(cls):
        cls.driver = browser()
        cls.addClassCleanup(cls.driver.quit)

    def setUp(self):
        look(self.driver, 1400)
        self.app = App(self.manifest, self.write, self.arguments, self.verb)
        self.addCleanup(self.app.end)
        self.open()

    def tearDown(self):
        self.assertEqual(self.console(), [], "the console has errors")

    def open(self, route=None):
        """Opens the page, and waits until it is connected."""
        self.driver.get("about:blank")
        self.driver.get(self.app.url)
        self.see("● live")
        if route:
            self.go(route)

    def fill(self):
        """Makes rows of all kinds."""
        for number in range(3):
            self.app.send("pushed", by="Ada", times=number)
        self.app.send("odd")
        self.app.send("broke", path="/nowhere")
        self.app.send("wrote", text="a long text " * 60)

    def send_fast(self, event, payload, times):
        """Sends events faster than the host shows them, over a connection of the page's inspector."""
        self.driver.execute_async_script("""
            const [event, payload, times, done] = arguments
            const token = sessionStorage.getItem('token')
            const socket = new WebSocket(`ws://${location.host}/ws`)
            let answers = 0
            socket.onopen = () => socket.send(JSON.stringify({ request: 'hello', token }))
            socket.onmessage = message => {
                const line = JSON.parse(message.data)
                if (line.host?.state === 'up') for (let sent = 0; sent < times; sent++) {
                    socket.send(JSON.stringify({ request: 'send', event, payload }))
                }
                if (line.result && ++answers === times) { socket.close(); done() }
            }""", event, payload, times)

    def go(self, route):
        """Opens a view by its link."""
        self.one(f'nav a[href="#/{route}"]').click()
        self.until(lambda: self.driver.execute_script("return location.hash") == f"#/{route}", f"the view {route}")

    def console(self):
        """The errors and warnings of the console."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] in ("SEVERE", "WARNING") and "WebSocket connection to" not in entry["message"]]

    def until(self, condition, what):
        """Waits until a condition holds. Says what was awaited, and what the page shows."""
        def holds(_):
            try:
                return condition()
            except StaleElementReferenceException:
                return False
        try:
            return WebDriverWait(self.driver, PATIENCE, poll_frequency=0.05).until(holds)
        except TimeoutException:
            self.fail(f"the page does not show {what}:\n{self.text()[:3000]}\n{self.console()}")

    def text(self, selector="body"):
        """What a person reads in an element."""
        return self.driver.execute_script("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def see(self, text, selector="body"):
        """Waits until an element shows a text."""
        self.until(lambda: text in self.text(selector), f"`{text}` in {selector}")

    def gone(self, text, selector="body"):
        """Waits until an element does not show a text."""
        self.until(lambda: text not in self.text(selector), f"{selector} without `{text}`")

    def one(self, selector, text=None):
        """Waits for an element, by its selector and a text in it."""
        def find():
            found = [element for element in self.driver.find_elements(By.CSS_SELECTOR, selector)
                     if element.is_displayed() and (text is None or text in element.text)]
            return found[0] if found else None
        return self.until(find, f"{selector} with `{text}`")

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def click(self, selector, text=None):
        """Clicks an element; again if the page has just replaced it."""
        def click():
            self.one(selector, text).click()
            return True
        self.until(click, f"{selector} to click")

    def keys(self, *keys):
        """Presses keys, wherever the focus is."""
        self.driver.switch_to.active_element.send_keys(*keys)

    def focus(self):
        """The accessible name of what has the focus."""
        return self.driver.switch_to.active_element.accessible_name


__all__ = ["App", "By", "HERE", "Keys", "PageTest", "ROOT", "browser", "look"]
