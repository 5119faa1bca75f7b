"""Writes the picture of the README: `pictures.py FILE`. The shop of examples/payment cannot write its books any more."""

import pathlib
import sys
import tempfile
import unittest

from support import Keys, PageTest, ROOT, look


class Picture(PageTest):
    manifest = ROOT / "examples/payment/app.toml"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.books = pathlib.Path(folder.name) / "payments.txt"
        self.arguments = ("--journal", f"{folder.name}/payment.journal", "--set", f"books={self.books}")
        super().setUp()

    def order(self, cents, result):
        self.app.send("order", cents=cents)
        self.see(result, "row-list")

    def runTest(self):
        look(self.driver, 1200, 690)
        self.click("button[aria-label='Pin paid']")
        for number, cents in enumerate([1200, 4550, 870], 1):
            self.order(cents, f"paid order: {number}")
            self.see(str(number), "article[aria-label='Loop orders'] .pins dd")
        self.books.unlink()
        self.books.mkdir()
        self.order(2300, "failed")
        self.one("row-list .row", "failed").click()
        self.see("State there", ".detail")
        self.see("problem", ".detail details .tree")
        self.keys(Keys.ARROW_LEFT, Keys.ARROW_RIGHT)
        self.see("failed", ".detail h3")
        self.see("problem", ".detail details .tree")
        self.driver.execute_script("document.activeElement.blur()")
        TARGET.write_bytes(self.driver.get_screenshot_as_png())
        self.assertLessEqual(TARGET.stat().st_size, 150_000)


if __name__ == "__main__":
    TARGET = ROOT / (sys.argv.pop() if len(sys.argv) > 1 else "docs/inspector.png")
    unittest.main(argv=sys.argv[:1])
