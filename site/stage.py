"""Writes the tree that Sphinx reads: `stage.py CHECKOUT TREE --version NAME [--docc] [--repository URL]`.

The tree has the Markdown pages of the checkout at their own paths, and lines keep their numbers. Links are rewritten:
a link to a file becomes one to a page that shows the file, and a link to a folder leads to its README or its list of
files. The articles of the Swift library are pages, too. The lists of `docs/README.md` and `docs/swift.md` are the
navigation. A link to nothing, and a row of such a list that is no page, are errors with their file and line.
"""

import argparse
import json
import pathlib
import posixpath
import re
import subprocess
import sys
import urllib.parse

ARTICLE = re.compile(r"Sources/(\w+)/\1\.docc/(\w+)\.md")
PAGES = re.compile(r"(README|CONTRIBUTING)\.md|(bindings|examples/\w+)/README\.md|docs/.*\.(md|1)")
# Blocks and spans of code, which keep what looks like a link, and the places of links: in a text, as a reference, and
# as docc writes one to an article.
PARTS = re.compile(r"""
    ^[ >]*(?:(?:[-*+]|\d+\.)[ ]+)*(?P<fence>`{3,}|~{3,})[^\n]*\n (?:.*\n)*? [ >]*(?P=fence)[`~]*[ ]*$
    | (?<!`)(?P<ticks>`+)(?!`) (?:[^\n]|\n(?![ ]*\n))+? (?<!`)(?P=ticks)(?!`)
    | (?<=\]\()(?P<link>[^)\s]+)(?=\))
    | ^(?P<start>[ ]{0,3}\[[^\]\n]+\]:[ ]+)(?P<reference>\S+)
    | <doc:(?P<article>\w+)>
    """, re.MULTILINE | re.VERBOSE)
PICTURES = (".png", ".svg")
LANGUAGES = {".c": "c", ".cpp": "cpp", ".h": "c", ".json": "json", ".md": "markdown", ".py": "python", ".rs": "rust",
             ".sh": "bash", ".swift": "swift", ".toml": "toml", ".txt": "cmake", ".yml": "yaml", ".zig": "zig"}


class Tree:
    """The tree, and what the pages have linked to so far."""

    def __init__(self, checkout, target, with_archives):
        self.checkout = checkout
        self.target = target
        self.with_archives = with_archives
        names = git(checkout, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
        self.files = {name for name in names if name and (checkout / name).exists()}
        # The files that HEAD does not have as they are.
        self.changed = {name for command in ("diff --name-only HEAD", "ls-files --others --exclude-standard")
                        for name in git(checkout, *command.split(), "-z").split("\0")}
        self.folders = {folder for name in self.files for folder in parents(name)}
        self.pages = {name: page(name) for name in sorted(self.files) if is_page(name)}
        self.linked = []
        self.faults = []

    def stage(self):
        for name in list(self.pages):
            file = self.checkout / name
            text = manual(file) if name.endswith(".1") else self.rewrite(name, file.read_text())
            if name == "README.md":
                text += self.navigation("docs/README.md")
            elif name == "docs/swift.md":
                text += self.navigation(name)
            self.write(self.pages[name], text + self.symbols(name))
        # A list of files links to further files.
        for name in self.linked:
            self.write(self.pages[name], self.listing(name) if name in self.folders else self.source(name))

    def write(self, name, content):
        path = self.target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            content = content.encode()
        path.write_bytes(content)

    def rewrite(self, name, text):
        """A page with links that lead to pages."""
        def replace(part):
            line = text.count("\n", 0, part.start()) + 1
            if part["link"]:
                return self.destination(name, part["link"], line)
            if part["reference"]:
                return part["start"] + self.destination(name, part["reference"], line)
            if part["article"]:
                file = part["article"] + ".md"
                path = beside(name, file)
                title = self.title(path) if path in self.pages else file
                return f"[{title}]({self.destination(name, file, line)})"
            return part[0]
        return PARTS.sub(replace, text)

    def destination(self, name, link, line):
        """What a link of a page becomes."""
        if urllib.parse.urlsplit(link).scheme or link.startswith("#"):
            return link
        path, mark, anchor = link.partition("#")
        path = beside(name, path)
        if path not in self.files and path not in self.folders:
            self.faults.append(f"{name}:{line}: the link `{link}` leads to no file")
            return link
        return self.way(self.pages[name], path) + mark + anchor

    def way(self, page, path):
        """The way from a page of the tree to the page of a file or folder, which is made if need be."""
        if f"{path}/README.md" in self.pages:
            path += "/README.md"
        if path.endswith(PICTURES):
            self.write(path, (self.checkout / path).read_bytes())
            return posixpath.relpath(path, posixpath.dirname(page))
        if path not in self.pages:
            self.pages[path] = f"source/{path}.md"
            self.linked.append(path)
        return posixpath.relpath(self.pages[path], posixpath.dirname(page))

    def source(self, name):
        """The page of a file: its text."""
        try:
            text = (self.checkout / name).read_text()
        except UnicodeDecodeError:
            self.faults.append(f"{name}: a page or a list links to this file, which is no text")
            return ""
        fence = "`" * (3 + max((len(run) for run in re.findall("`+", text)), default=0))
        language = LANGUAGES.get(posixpath.splitext(name)[1], "text")
        return f"# {name}\n\n{fence}{language}\n{text.rstrip()}\n{fence}\n"

    def listing(self, name):
        """The page of a folder: its files and folders, pages with their titles."""
        depth = len(name) + 1
        names = sorted({entry[:entry.find("/", depth)] if "/" in entry[depth:] else entry
                        for entry in self.files if entry.startswith(name + "/")})
        lines = [f"# {name}", ""]
        for entry in names:
            has_title = entry in self.pages and is_page(entry) and entry.endswith(".md")
            title = self.title(entry) if has_title else f"`{entry[depth:]}`"
            lines.append(f"- [{title}]({self.way(self.pages[name], entry)})")
        return "\n".join(lines) + "\n"

    def title(self, name):
        return (self.checkout / name).read_text().split("\n", 1)[0].removeprefix("# ")

    def navigation(self, name):
        """The lists of a page as tables of contents, which the site's sidebar shows."""
        parts = [("", ["All pages </docs/README>\n"] if name == "docs/README.md" else [])]
        for index, line in enumerate((self.checkout / name).read_text().split("\n")):
            entry = re.match(r"- \[(.*?)\]\(([^)#]+)\)", line)
            path = entry and beside(name, entry[2])
            if line.startswith("## "):
                parts.append((line.removeprefix("## "), []))
            elif path in self.files | self.folders and not entry[2].endswith(PICTURES):
                shown = docname(beside(self.pages[name], self.way(self.pages[name], path)))
                shown = "self" if shown == "index" else f"/{shown}"
                parts[-1][1].append(f"{entry[1].replace('`', '')} <{shown}>\n")
            elif line.startswith("- "):
                self.faults.append(f"{name}:{index + 1}: the navigation cannot show this row: it is no link to a page")
        text = ""
        for caption, rows in parts:
            head = f":caption: {caption.replace('`', '')}\n" if caption else ""
            text += f"\n```{{toctree}}\n:hidden:\n{head}\n{''.join(rows)}```\n" if rows else ""
        return text

    def symbols(self, name):
        """What the page of a Swift module says at its end: where docc's pages of its symbols are."""
        article = ARTICLE.fullmatch(name)
        if not self.with_archives or not article or article[1] != article[2]:
            return ""
        return f"\n[All symbols of {article[1]}](site:swift/{article[1]}/documentation/{article[1].lower()}/)\n"


def git(checkout, *arguments):
    return subprocess.run(["git", *arguments], cwd=checkout, check=True, capture_output=True, text=True).stdout


def beside(name, link):
    """The path that a link of a file leads to."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), link))


def parents(name):
    return [str(folder) for folder in pathlib.PurePosixPath(name).parents if str(folder) != "."]


def is_page(name):
    return PAGES.fullmatch(name) or ARTICLE.fullmatch(name)


def page(name):
    """The place of a page in the tree."""
    if name == "README.md":
        return "index.md"
    article = ARTICLE.fullmatch(name)
    if article:
        return f"library/{article[1]}/{article[2]}.md"
    return name + ".md" if name.endswith(".1") else name


def docname(name):
    return name.removesuffix(".md")


def manual(path):
    """A manual page: a heading and the HTML of mandoc for each of its sections."""
    made = subprocess.run(["mandoc", "-T", "html", "-O", "fragment", "-W", "warning", path],
                          capture_output=True, text=True)
    if made.returncode:
        # mandoc begins each line with its own name and the file's.
        raise SystemExit(made.stderr.rstrip() or f"{path}: mandoc failed with {made.returncode}")
    html = made.stdout
    sections = re.findall(r'<section class="Sh">\n<h1 class="Sh" id="([^"]*)"><a[^>]*>(.*?)</a></h1>\n(.*?)</section>\n'
                          r"(?=<section|</div>)", html, re.DOTALL)
    if len(sections) != html.count('<section class="Sh">'):
        raise SystemExit(f"site: {path}: a section of the manual page was not found in what mandoc prints")
    sections = [(name, " ".join(heading.split()), body) for name, heading, body in sections]
    text = f"# {path.stem}({path.suffix[1:]})\n"
    for _, title, body in sections:
        for name, heading, _ in sections:
            body = body.replace(f'href="#{name}"', f'href="#{heading.lower().replace(" ", "-")}"')
        text += f"\n## {title.capitalize()}\n\n```{{raw}} html\n<div class=\"manual\">\n{body}</div>\n```\n"
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("--docc", action="store_true", help="the site has the archives of the Swift library")
    parser.add_argument("--repository", default="", help="the address of the repository, for links to its files")
    parser.add_argument("--version", required=True, help="the name of the version, which pages show")
    arguments = parser.parse_args()
    tree = Tree(arguments.checkout, arguments.tree, arguments.docc)
    tree.stage()
    if tree.faults:
        sys.exit("\n".join(tree.faults))
    tree.write("site.json", json.dumps({
        "commit": git(tree.checkout, "rev-parse", "HEAD").strip(), "repository": arguments.repository,
        "version": arguments.version, "changed": sorted(tree.changed & set(tree.pages)),
        "paths": {docname(name): path for path, name in tree.pages.items()},
    }))


if __name__ == "__main__":
    main()
