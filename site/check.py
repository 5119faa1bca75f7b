"""Checks that each link of the built pages leads to a page or a file of the site, and to an anchor in it.

`check.py FOLDER`. Links to other servers are not checked. The pages of symbols are made by docc, which has checked its
own links.
"""

import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The links of a page with their lines, and its anchors."""

    def __init__(self, text):
        super().__init__()
        self.links = []
        self.anchors = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value is not None:
                self.links.append((value, self.getpos()[0]))
            elif name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)


def main(folder):
    pages = {path: Page(path.read_text()) for path in sorted(folder.rglob("*.html"))
             if path.relative_to(folder).parts[0] != "swift"}
    faults = []
    for path, page in pages.items():
        for link, line in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc or link.endswith("versions.js"):
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if link.endswith("/"):
                target /= "index.html"
            where = f"{path.relative_to(folder)}:{line}"
            if not target.is_relative_to(folder):
                faults.append(f"{where}: the link `{link}` leads out of the site")
            elif not target.is_file():
                faults.append(f"{where}: the link `{link}` leads to no file")
            elif target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].anchors:
                faults.append(f"{where}: the link `{link}` leads to no anchor")
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
