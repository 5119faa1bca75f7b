"""Pictures of each view, for a person to look at: light and dark, 360, 800 and 1400 px wide. SCREENSHOTS names the folder."""

import os
import pathlib
import unittest

from support import PageTest, look
from test_page import VIEWS


@unittest.skipUnless(os.environ.get("SCREENSHOTS"), "SCREENSHOTS names no folder")
class Looks(PageTest):
    write = True

    def test_each_view_is_pictured(self):
        folder = pathlib.Path(os.environ["SCREENSHOTS"])
        folder.mkdir(parents=True, exist_ok=True)
        for dark in (False, True):
            for width in (360, 800, 1400):
                look(self.driver, width, 900, dark)
                self.open("events")
                self.fill()
                self.see("a long text", "row-list")
                self.one("row-list .row", "rang").click()
                self.see("State there", ".detail")
                for view in VIEWS:
                    self.go(view)
                    path = folder / f"{view}-{width}-{'dark' if dark else 'light'}.png"
                    self.until(lambda: self.text("main").strip(), view)
                    path.write_bytes(self.driver.get_screenshot_as_png())
                    self.assertGreater(path.stat().st_size, 5_000, path)


if __name__ == "__main__":
    unittest.main()
