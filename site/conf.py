"""The configuration of Sphinx for the site. `script/site` calls it with the tree of `stage.py`."""

import json
import os
import pathlib
import posixpath
import sys

from docutils import nodes
from pygments.lexers.data import JsonLexer
from sphinx.util import logging

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import pictures  # noqa: E402

TREE = pathlib.Path(os.environ["SITE_TREE"])
SITE = json.loads((TREE / "site.json").read_text())

project = "spinhost"
version = release = SITE["version"]
extensions = ["myst_parser"]
root_doc = "index"
source_suffix = {".md": "markdown"}
myst_heading_anchors = 6
myst_url_schemes = ["http", "https", "mailto", "site"]
smartquotes = False
# An ellipsis in an example of JSON or TOML is no part of these languages.
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_title = f"spinhost {version}"
html_favicon = str(HERE / "static/favicon.svg")
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
templates_path = [str(HERE / "templates")]
html_copy_source = False
html_show_copyright = False
html_use_index = False
html_theme_options = {"top_of_page_buttons": []}
html_sidebars = {"**": ["sidebar/brand.html", "sidebar/versions.html", "sidebar/search.html",
                        "sidebar/scroll-start.html", "sidebar/navigation.html", "sidebar/scroll-end.html"]}
pygments_style = "tango"
pygments_dark_style = "native"

# Pages that a list leads to, and the navigation does not show.
LISTED = ("docs/diagnostics/", "docs/decisions/", "source/")

logger = logging.getLogger(__name__)


def read(app, document):
    """Draws the flowcharts of a page, and says which pages stand in no table of contents."""
    name = app.env.docname
    if name.startswith(LISTED):
        app.env.metadata[name]["orphan"] = True
    if name.startswith("source/"):
        app.env.metadata[name]["nosearch"] = True
    for block in list(document.findall(nodes.literal_block)):
        if block.get("language") != "mermaid":
            continue
        try:
            block.replace_self(nodes.raw("", pictures.svg(block.astext()), format="html"))
        except pictures.Unknown as problem:
            logger.warning("%s", problem, location=(name, block.line + 1 + problem.line))


def resolve(app, document, name):
    """Makes links to parts of the site that Sphinx does not build relative."""
    for link in document.findall(nodes.reference):
        if link.get("refuri", "").startswith("site:"):
            # The script of docc's pages needs the slash at the end.
            link["refuri"] = posixpath.relpath(link["refuri"].removeprefix("site:"), posixpath.dirname(name)) + "/"


def context(app, name, template, values, document):
    """Tells the template which file a page was made from."""
    path = SITE["paths"].get(name)
    if path is None:
        return
    values["source_path"] = path
    values["source_commit"] = SITE["commit"]
    # No commit has the text of a changed file, so no link can lead there.
    is_changed = path in SITE["changed"]
    values["source_is_changed"] = is_changed
    if SITE["repository"] and not is_changed:
        values["source_url"] = f"{SITE['repository']}/blob/{SITE['commit']}/{path}"


def setup(app):
    app.add_lexer("jsonl", JsonLexer)
    app.connect("doctree-read", read)
    app.connect("doctree-resolved", resolve)
    app.connect("html-page-context", context)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
