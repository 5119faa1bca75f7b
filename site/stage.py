"""Writes the tree that Sphinx reads: `stage.py CHECKOUT TREE [--docc] [--repository URL]`.

The tree has the Markdown pages of the checkout at their own paths, and lines keep their numbers. Links are rewritten:
a link to a file becomes one to a page that shows the file, and a link to a folder leads to its README or its list of
files. The lists of `docs/README.md` are the navigation. A link to nothing is an error with its file and line.
"""

import argparse
import json
import pathlib
import posixpath
import re
import subprocess
import sys

PAGES = re.compile(r"(README|CONTRIBUTING)\.md|(bindings|examples/\w+)/README\.md|docs/.*\.(md|1)")
CATALOGUE = re.compile(r"Sources/(\w+)/\1\.docc/(\w+)\.md")
PICTURES = (".png", ".svg")
LANGUAGES = {".c": "c", ".cpp": "cpp", ".h": "c", ".json": "json", ".md": "markdown", ".py": "python", ".rs": "rust",
             ".sh": "bash", ".swift": "swift", ".toml": "toml", ".txt": "cmake", ".yml": "yaml", ".zig": "zig"}


class Tree:
    """The tree, and what the pages have linked to so far."""

    def __init__(self, checkout, target, with_archives):
        self.checkout = checkout
        self.target = target
        self.with_archives = with_archives
        names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=checkout,
                               check=True, capture_output=True, text=True).stdout.split("\0")
        self.files = {name for name in names if name and (checkout / name).exists()}
        self.folders = {folder for name in self.files for folder in parents(name)}
        self.pages = {name: page(name) for name in sorted(self.files) if PAGES.fullmatch(name)}
        self.linked = []
        self.faults = []

    def stage(self):
        for name in list(self.pages):
            file = self.checkout / name
            text = manual(file) if name.endswith(".1") else self.rewrite(name, file.read_text())
            self.write(self.pages[name], text)
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
        """A page with links that lead to pages. Code keeps what looks like a link."""
        lines = text.split("\n")
        is_code = False
        for index, line in enumerate(lines):
            if line.startswith("```"):
                is_code = not is_code
            elif not is_code:
                lines[index] = re.sub(r"\]\(([^)\s]+)\)",
                                      lambda link: f"]({self.destination(name, link[1], index + 1)})", line)
        return "\n".join(lines)

    def destination(self, name, link, line):
        """What a link of a page becomes."""
        if "://" in link or link.startswith("#"):
            return link
        path, mark, anchor = link.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
        if path not in self.files and path not in self.folders:
            self.faults.append(f"{name}:{line}: the link `{link}` leads to no file")
            return link
        return self.way(self.pages[name], path) + mark + anchor

    def way(self, page, path):
        """The way from a page of the tree to the page of a file or folder, which is made if need be."""
        if f"{path}/README.md" in self.pages:
            path += "/README.md"
        catalogue = CATALOGUE.fullmatch(path)
        if catalogue and self.with_archives:
            module, article = catalogue.groups()
            rest = "" if article == module else f"{article.lower()}/"
            return f"site:swift/{module}/documentation/{module.lower()}/{rest}"
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
            is_page = entry in self.files and PAGES.fullmatch(entry) and entry.endswith(".md")
            title = self.title(entry) if is_page else f"`{entry[depth:]}`"
            lines.append(f"- [{title}]({self.way(self.pages[name], entry)})")
        return "\n".join(lines) + "\n"

    def title(self, name):
        return (self.checkout / name).read_text().split("\n", 1)[0].removeprefix("# ")

    def navigation(self):
        """The lists of `docs/README.md` as tables of contents, which the site's sidebar shows."""
        parts = [("", [("All pages", "docs/README")])]
        for line in (self.target / "docs/README.md").read_text().split("\n"):
            entry = re.match(r"- \[(.*?)\]\(([^)]+)\)", line)
            if line.startswith("## "):
                parts.append((line.removeprefix("## "), []))
            elif entry and "#" not in entry[2] and not entry[2].startswith("site:"):
                parts[-1][1].append((entry[1], docname(posixpath.normpath(f"docs/{entry[2]}"))))
        text = ""
        for caption, entries in parts:
            rows = "".join(f"{title.replace('`', '')} <{name}>\n" for title, name in entries)
            rows = rows.replace("<index>", "<self>")
            text += "\n```{toctree}\n:hidden:\n" + (f":caption: {caption}\n" if caption else "") + "\n" + rows + "```\n"
        return text


def parents(name):
    return [str(folder) for folder in pathlib.PurePosixPath(name).parents if str(folder) != "."]


def page(name):
    """The place of a page in the tree."""
    if name == "README.md":
        return "index.md"
    return name + ".md" if name.endswith(".1") else name


def docname(name):
    return name.removesuffix(".md")


def manual(path):
    """A manual page: a heading and the HTML of mandoc for each of its sections."""
    html = subprocess.run(["mandoc", "-T", "html", "-O", "fragment", "-W", "warning", path], check=True,
                          capture_output=True, text=True).stdout
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
    arguments = parser.parse_args()
    tree = Tree(arguments.checkout, arguments.tree, arguments.docc)
    tree.stage()
    if tree.faults:
        sys.exit("\n".join(tree.faults))
    with open(tree.target / "index.md", "a") as index:
        index.write(tree.navigation())
    source = (tree.checkout / "Sources/spinhost/Commands/SpinhostCommand.swift").read_text()
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=tree.checkout, check=True, capture_output=True, text=True)
    tree.write("site.json", json.dumps({
        "commit": commit.stdout.strip(), "repository": arguments.repository,
        "version": re.search(r'version: "(.*)",', source)[1],
        "paths": {docname(name): path for path, name in tree.pages.items()},
    }))


if __name__ == "__main__":
    main()
