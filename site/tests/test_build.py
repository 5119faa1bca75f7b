"""`script/site` on a small checkout: its faults, its versions, its bytes."""

import filecmp
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

PAGES = {
    "README.md": "# First\n\nSee [the list](docs/README.md) and [a page](docs/page.md#a-heading).\n",
    "docs/README.md": "# List\n\n## Start\n\n- [First](../README.md)\n- [Page](page.md)\n- [Manual](tool.1)\n",
    "docs/page.md": "# Page\n\n## A heading\n\nSee [code](../examples/half/half.c), [files](../examples/half), "
                    "[all](tool.1).\n\n"
                    "```mermaid\nflowchart LR\n    a([\"state\"])\n    b[\"run\"]\n    a --> b\n```\n",
    "docs/tool.1": ".Dd January 1, 2026\n.Dt TOOL 1\n.Os\n.Sh NAME\n.Nm tool\n.Nd does it\n"
                   ".Sh EXIT STATUS\nAlways 0.\n",
    "examples/half/half.c": "long half(long n) { return n / 2; }\n",
}


class Build(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.checkout = pathlib.Path(folder.name) / "checkout"
        shutil.copytree(ROOT / "site", self.checkout / "site")
        tools = self.checkout / ".build/site-tools"
        tools.parent.mkdir()
        tools.symlink_to(ROOT / ".build/site-tools")
        for name in ("script/site", "Sources/spinhost/Commands/SpinhostCommand.swift", ".gitignore"):
            (self.checkout / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.checkout / name)
        for name, text in PAGES.items():
            self.change(name, text)
        for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "Begin"]):
            subprocess.run(["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *command],
                           cwd=self.checkout, check=True)
        self.output = self.checkout / ".build/site"

    def build(self, *arguments):
        # Sphinx colours what it says where `CI` is set, terminal or not.
        return subprocess.run([self.checkout / "script/site", *arguments], capture_output=True, text=True,
                              env={**os.environ, "CI": "true"})

    def change(self, name, text):
        (self.checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (self.checkout / name).write_text(text)

    def made(self, *arguments):
        result = self.build(*arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return pathlib.Path(result.stdout.removeprefix("made ").strip()).parent

    def refused(self, name, text, expected):
        """A page with this text is refused with this message, and no site is left behind."""
        self.change(name, text)
        result = self.build()
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(expected, result.stderr)
        self.assertFalse(self.output.exists())

    def test_each_kind_of_file_has_a_page(self):
        site = self.made()
        page = (site / "docs/page.html").read_text()
        self.assertIn('href="../source/examples/half/half.c.html"', page)
        self.assertIn('href="../source/examples/half.html"', page)
        self.assertIn("<svg", page)
        self.assertIn("docs/page.md\n  at commit", page)
        files = (site / "source/examples/half.html").read_text()
        self.assertRegex(files, r'href="half/half\.c\.html">.*half\.c')
        self.assertNotIn("long half", files)
        self.assertIn("Exit status", (site / "docs/tool.1.html").read_text())

    def test_pages_link_to_their_sources(self):
        commit = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=self.checkout, text=True).strip()
        page = (self.made("--repository", "https://example.org/a/b.git") / "docs/page.html").read_text()
        self.assertIn(f'<a href="https://example.org/a/b/blob/{commit}/docs/page.md">docs/page.md</a>', page)

    def test_a_password_of_the_remote_is_on_no_page(self):
        subprocess.run(["git", "remote", "add", "origin", "https://ada:secret@example.org/a/b.git"], cwd=self.checkout,
                       check=True)
        page = (self.made() / "docs/page.html").read_text()
        self.assertIn('<a href="https://example.org/a/b/blob/', page)
        self.assertNotIn("secret", page)

    def test_a_changed_page_leads_to_no_commit(self):
        self.change("docs/page.md", PAGES["docs/page.md"] + "\nMore.\n")
        site = self.made("--repository", "https://example.org/a/b")
        self.assertIn("docs/page.md, changed</p>", (site / "docs/page.html").read_text())
        self.assertIn("/docs/README.md\">docs/README.md</a>", (site / "docs/README.html").read_text())

    def test_two_builds_have_the_same_bytes(self):
        first = self.made()
        # The same commit at another place.
        self.checkout = shutil.copytree(self.checkout, self.checkout.parent / "a/copy", symlinks=True)
        second = self.made("--output", str(self.checkout / ".build/again"))
        names = sorted(str(path.relative_to(first)) for path in first.rglob("*") if path.is_file())
        self.assertEqual(names, sorted(str(path.relative_to(second)) for path in second.rglob("*") if path.is_file()))
        self.assertEqual(filecmp.cmpfiles(first, second, names, shallow=False)[1:], ([], []))

    def test_versions_lie_side_by_side(self):
        for name in ("0.0.9", "0.0.10-rc.1", "0.0.10"):
            (self.output / name).mkdir(parents=True)
            (self.output / name / "searchindex.js").touch()
        self.assertEqual(self.made().name, "main")
        versions = (self.output / "versions.js").read_text()
        self.assertEqual(versions, 'showVersions(["0.0.10", "0.0.10-rc.1", "0.0.9", "main"]);\n')
        self.assertIn("url=0.0.10/index.html", (self.output / "index.html").read_text())

    def test_a_tag_or_an_argument_names_the_version(self):
        source = (self.checkout / "Sources/spinhost/Commands/SpinhostCommand.swift").read_text()
        version = re.search(r'version: "(.*)",', source)[1]
        subprocess.run(["git", "tag", f"v{version}"], cwd=self.checkout, check=True)
        self.assertEqual(self.made().name, version)
        site = self.made("--version", "next")
        self.assertEqual(site.name, "next")
        self.assertIn("spinhost next", (site / "index.html").read_text())

    def test_a_link_to_no_file(self):
        self.refused("docs/page.md", "# Page\n\nOne.\n\nSee [it](nothing.md).\n",
                     "docs/page.md:5: the link `nothing.md` leads to no file")

    def test_a_link_to_a_file_that_is_no_text(self):
        (self.checkout / "examples/half/half.bin").write_bytes(b"\xff\xfe")
        self.refused("README.md", "# First\n\nSee [it](examples/half/half.bin).\n",
                     "examples/half/half.bin: a page or a list links to this file, which is no text")

    def test_a_link_out_of_the_site(self):
        self.refused("docs/page.md", '# Page\n\n## A heading\n\n<a href="../../../../etc/passwd">One</a>\n',
                     "the link `../../../../etc/passwd` leads out of the site")

    def test_a_link_to_no_heading(self):
        self.refused("README.md", "# First\n\nSee [a page](docs/page.md#nothing).\n", "README.md:3: WARNING: ")

    def test_a_link_to_no_heading_of_its_page(self):
        self.refused("docs/page.md", "# Page\n\n## A heading\n\nSee [it](#nothing).\n", "docs/page.md:5: WARNING: ")

    def test_a_picture_that_cannot_be_drawn(self):
        self.refused("docs/page.md", "# Page\n\n## A heading\n\n```mermaid\nflowchart LR\n    a ~~~ b\n```\n",
                     "docs/page.md:7: WARNING: the site cannot draw `a ~~~ b`")

    def test_code_keeps_what_looks_like_a_link(self):
        code = "- A list:\n\n  ```text\n  [one](nothing.md)\n  ```\n\nAnd `[two](nothing.md)`.\n"
        self.change("docs/page.md", f"# Page\n\n## A heading\n\n{code}\nWrite to [us](mailto:ada@example.org).\n")
        page = (self.made() / "docs/page.html").read_text()
        self.assertIn("[one](nothing.md)", page)
        self.assertIn("[two](nothing.md)", page)
        self.assertIn('href="mailto:', page)

    def test_links_by_reference_lead_to_pages(self):
        self.change("docs/page.md", "# Page\n\n## A heading\n\nSee [code][half].\n\n"
                                    "[half]: ../examples/half/half.c\n")
        self.assertIn('href="../source/examples/half/half.c.html"', (self.made() / "docs/page.html").read_text())

    def test_a_link_by_reference_to_no_file(self):
        self.refused("docs/page.md", "# Page\n\nSee [it][one].\n\n[one]: nothing.md\n",
                     "docs/page.md:5: the link `nothing.md` leads to no file")

    def test_articles_of_the_swift_library_are_pages(self):
        self.change("docs/README.md", PAGES["docs/README.md"] + "- [Swift](swift.md)\n")
        self.change("docs/swift.md", "# Swift\n\n- [Loop](../Sources/Loop/Loop.docc/Loop.md)\n"
                                     "- [Begin](../Sources/Loop/Loop.docc/Begin.md)\n")
        self.change("Sources/Loop/Loop.docc/Loop.md", "# ``Loop``\n\nA ``Spin``: <doc:Begin> and <doc:Begin>.\n")
        self.change("Sources/Loop/Loop.docc/Begin.md", "# First steps\n\nBegin.\n")
        site = self.made()
        self.assertRegex((site / "library/Loop/Loop.html").read_text(), r'href="Begin\.html">.*First steps')
        self.assertIn('href="../library/Loop/Loop.html"', (site / "docs/swift.html").read_text())
        self.assertIn("library/Loop/Begin", (site / "searchindex.js").read_text())
        shutil.rmtree(self.output)
        self.refused("Sources/Loop/Loop.docc/Loop.md", "# ``Loop``\n\nSee <doc:Nothing>.\n",
                     "Sources/Loop/Loop.docc/Loop.md:3: the link `Nothing.md` leads to no file")

    def test_a_row_that_is_no_page(self):
        for row in ("- [First](page.md#a-heading)", "- [First](https://example.org)", "- First"):
            self.refused("docs/README.md", PAGES["docs/README.md"] + row + "\n",
                         "docs/README.md:8: the navigation cannot show this row: it is no link to a page")

    def test_a_manual_page_with_a_mistake(self):
        self.refused("docs/tool.1", PAGES["docs/tool.1"] + ".Nothing\n", "docs/tool.1:9:2: ERROR: ")

    def test_a_page_that_no_list_has(self):
        self.refused("docs/other.md", "# Other\n", "docs/other.md: WARNING: document isn't included in any toctree")

    def test_arguments(self):
        for arguments, code, expected in (
                (["--nothing"], 64, "`--nothing` is unknown"), (["--output"], 64, "`--output` needs a value"),
                (["--base", "spin"], 64, "`--base` must begin with a slash"),
                (["--version", "../up"], 64, "`--version` must be letters"),
                (["--docc", str(self.checkout)], 66, "there is no `.doccarchive`")):
            result = self.build(*arguments)
            self.assertEqual(result.returncode, code)
            self.assertIn(expected, result.stderr)
