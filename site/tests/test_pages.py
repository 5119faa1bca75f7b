"""The built site in a headless Chromium: search, colours, narrow screens, versions."""

import functools
import http.server
import json
import os
import pathlib
import re
import shutil
import tempfile
import threading
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from support import PATIENCE, browser, look

SITE = pathlib.Path(os.environ["SITE"]).resolve()
VERSIONS = json.loads(re.search(r"\[.*\]", (SITE / "versions.js").read_text())[0])
PAGES = SITE / VERSIONS[0]


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.driver = browser()
        cls.addClassCleanup(cls.driver.quit)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=SITE))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.addClassCleanup(server.server_close)
        cls.addClassCleanup(server.shutdown)
        cls.address = f"http://127.0.0.1:{server.server_port}"

    def setUp(self):
        look(self.driver, 1400)

    def tearDown(self):
        # The pages of docc look for files that an archive may have.
        errors = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
        self.assertEqual([error for error in errors if "/swift/" not in error], [])

    def open(self, name, folder=PAGES):
        self.driver.get((folder / name).as_uri())

    def until(self, condition, what):
        return WebDriverWait(self.driver, PATIENCE).until(lambda _: condition(), f"the page does not show {what}")

    def find(self, text, page):
        """Types a text into the search, and waits until a page is among the results."""
        self.driver.find_element(By.CSS_SELECTOR, ".sidebar-search").send_keys(text, Keys.ENTER)
        links = f"#search-results li a[href*='{page}']"
        return self.until(lambda: next(iter(self.driver.find_elements(By.CSS_SELECTOR, links)), None),
                          f"{page} for `{text}`")

    def style(self, selector, property):
        script = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
        return self.driver.execute_script(script, selector, property)

    def test_search_finds_pages_without_a_server(self):
        for text, page in (("quarantine", "docs/plugin-faults.html"), ("M012", "docs/diagnostics/M012.html"),
                           ("XDG_RUNTIME_DIR", "docs/spinhost.1.html")):
            self.open("index.html")
            self.find(text, page).send_keys(Keys.ENTER)
            self.until(lambda: page in self.driver.current_url, f"{page} after its link")

    def test_search_on_a_server_shows_excerpts(self):
        self.driver.get(f"{self.address}/{VERSIONS[0]}/index.html")
        self.find("quarantine", "docs/plugin-faults.html")
        excerpts = "return [...document.querySelectorAll('#search-results .context')].map(one => one.innerText).join()"
        self.until(lambda: "quarantine" in self.driver.execute_script(excerpts), "an excerpt")

    def test_colours_follow_the_reader(self):
        colours = []
        for dark in (False, True):
            look(self.driver, 1400, dark=dark)
            self.open("docs/architecture.html")
            colours.append((self.style("body", "backgroundColor"), self.style("article", "color")))
            self.assertEqual(self.style(".picture text", "fill"), self.style("article", "color"))
        self.assertEqual(len(set(colours[0] + colours[1])), 4)
        # The button takes the other colours than those of the system.
        self.driver.find_element(By.CSS_SELECTOR, ".theme-toggle-content button").click()
        self.until(lambda: self.style("body", "backgroundColor") == colours[0][0], "light colours")
        self.driver.execute_script("localStorage.clear()")

    def test_pages_fit_a_telephone(self):
        look(self.driver, 360, 740)
        names = [*PAGES.glob("*.html"), *PAGES.glob("docs/*.html"), *PAGES.glob("docs/tutorials/*.html"),
                 *PAGES.glob("examples/*/*.html"), *PAGES.glob("library/*/*.html"),
                 PAGES / "docs/diagnostics/README.html", PAGES / "docs/diagnostics/P083.html",
                 PAGES / "source/plugins/serve/serve.c.html"]
        self.assertGreater(len(names), 30)
        wide = []
        for name in names:
            self.driver.get(name.as_uri())
            if self.driver.execute_script("return document.documentElement.scrollWidth") > 360:
                wide.append(str(name.relative_to(PAGES)))
        self.assertEqual(wide, [])

    def test_pictures_name_what_they_show_and_grow(self):
        self.open("examples/sitewatch/README.html")
        picture = self.driver.find_element(By.CSS_SELECTOR, ".picture svg")
        self.assertIn("std:every", picture.get_attribute("aria-label"))
        width = picture.size["width"]
        picture.click()
        self.until(lambda: picture.size["width"] > width, "the picture in full size")

    def test_a_reader_goes_to_another_version(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for version in ("1.2.0", VERSIONS[0]):
                (folder / version / "docs").mkdir(parents=True)
                for part in ("_static", "_images"):
                    shutil.copytree(PAGES / part, folder / version / part)
                for page in ("index.html", "searchindex.js", "docs/journal.html"):
                    shutil.copy(PAGES / page, folder / version / page)
            (folder / "versions.js").write_text(f'showVersions(["1.2.0", "{VERSIONS[0]}"]);\n')
            self.open(f"{VERSIONS[0]}/docs/journal.html", folder)
            choice = self.driver.find_element(By.ID, "versions")
            self.assertEqual(choice.text.split(), ["1.2.0", VERSIONS[0]])
            self.assertEqual(choice.get_attribute("value"), VERSIONS[0])
            choice.find_element(By.CSS_SELECTOR, "option").click()
            page = (folder / "1.2.0/docs/journal.html").as_uri()
            self.until(lambda: self.driver.current_url == page, "the page in the other version")

    def test_a_page_that_another_version_lacks_leads_to_its_first_page(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for version in ("1.2.0", VERSIONS[0]):
                for part in ("_static", "_images"):
                    shutil.copytree(PAGES / part, folder / version / part)
                shutil.copy(PAGES / "index.html", folder / version)
            shutil.copytree(PAGES / "docs", folder / VERSIONS[0] / "docs")
            (folder / "1.2.0/searchindex.js").write_text('Search.setIndex({"docnames": ["index"]})')
            (folder / "versions.js").write_text(f'showVersions(["1.2.0", "{VERSIONS[0]}"]);\n')
            self.open(f"{VERSIONS[0]}/docs/journal.html", folder)
            self.driver.find_element(By.ID, "versions").find_element(By.CSS_SELECTOR, "option").click()
            self.until(lambda: self.driver.current_url == (folder / "1.2.0/index.html").as_uri(), "the first page")

    def test_articles_of_the_swift_library_are_found(self):
        self.open("index.html")
        self.find("mailbox", "library/HostLoop/BoundedMailboxes.html")

    def test_the_first_page_leads_to_the_newest_version(self):
        self.open("index.html", SITE)
        self.until(lambda: self.driver.current_url == (PAGES / "index.html").as_uri(), "the newest version")

    @unittest.skipUnless((PAGES / "swift").exists(), "the site was built without --docc")
    def test_a_swift_module_leads_to_its_symbols(self):
        self.driver.get(f"{self.address}/{VERSIONS[0]}/library/HostLoop/HostLoop.html")
        self.driver.find_element(By.CSS_SELECTOR, "article a[href*='documentation/hostloop']").send_keys(Keys.ENTER)
        self.until(lambda: "/documentation/hostloop" in self.driver.current_url, "the pages of docc")
        self.until(lambda: "Feedbacks and triggers" in self.driver.find_element(By.TAG_NAME, "body").text, "its topics")
