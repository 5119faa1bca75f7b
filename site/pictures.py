"""Draws the flowcharts of the pages with Graphviz, so that the site needs no script to show them.

`spinhost graph` prints Mermaid, which forges draw, and docs/architecture.md is written in it. This reads the part of
the language that both use, and refuses the rest.
"""

import html
import re
import subprocess

# The brackets of a node, and its shape for Graphviz.
SHAPES = [("([", "])", "box,style=rounded"), ("{{", "}}", "hexagon"), ("[/", "/]", "cds"), ("[", "]", "box")]
HEAD = """compound=true; bgcolor=transparent; fontname=Helvetica; fontsize=12;
node [fontname=Helvetica, fontsize=11, margin="0.15,0.08"];
edge [fontname=Helvetica, fontsize=10];"""


class Unknown(Exception):
    """A picture that cannot be drawn; `line` counts from 0."""

    def __init__(self, line, problem):
        super().__init__(f"the site cannot draw {problem}")
        self.line = line


class Flowchart:
    """A flowchart of Mermaid, as statements of Graphviz."""

    def __init__(self, text):
        self.statements = []
        self.open = []
        # The first node of each group: an arrow to a group leads to it, and ends at the group's frame.
        self.first = {}
        for index, line in enumerate(text.split("\n")):
            line = line.strip()
            readers = (self.node, self.edges, self.group, self.look) if index else (self.head,)
            if line and not any(read(line) for read in readers):
                raise Unknown(index, f"`{line}`")

    def head(self, line):
        match = re.fullmatch(r"flowchart (LR|TB)", line)
        if match:
            self.statements.append(f"digraph {{ rankdir={match[1]}; {HEAD}")
        return match

    def node(self, line):
        for before, after, shape in SHAPES:
            match = re.fullmatch(rf'(\w+){re.escape(before)}(".*"){re.escape(after)}', line)
            if match:
                self.statements.append(f"{match[1]} [label={label(match[2])},shape={shape}];")
                for group in self.open:
                    self.first.setdefault(group, match[1])
                return True
        return False

    def edges(self, line):
        match = re.fullmatch(r'(\w+) (-->|-\.->)(?:\|(".*")\|)? (\w+(?: & \w+)*)', line)
        if not match:
            return False
        start, arrow, words, ends = match.groups()
        for end in ends.split(" & "):
            looks = [f"label={label(words)}"] if words else []
            looks += ["style=dashed"] if arrow == "-.->" else []
            looks += [f"{key}=cluster_{name}" for key, name in (("ltail", start), ("lhead", end)) if name in self.first]
            self.statements.append(f"{self.first.get(start, start)} -> {self.first.get(end, end)} [{','.join(looks)}];")
        return True

    def group(self, line):
        match = re.fullmatch(r'subgraph (\w+) ?\[(".*")\]', line)
        if match:
            self.open.append(match[1])
            self.statements.append(f"subgraph cluster_{match[1]} {{ label={label(match[2])};")
        elif line == "end" and self.open:
            self.open.pop()
            self.statements.append("}")
        else:
            return False
        return True

    def look(self, line):
        """A class of nodes with a dashed frame; its definition says nothing more."""
        match = re.fullmatch(r"class ([\w,]+) \w+", line)
        if match:
            self.statements += [f"{name} [style=dashed];" for name in match[1].split(",")]
        return match or re.fullmatch(r"classDef \w+ stroke-dasharray: \d+ \d+", line)


def label(text):
    """A quoted text with Mermaid's codes and breaks, as a text for Graphviz."""
    text = re.sub(r"#(\d+);", lambda code: chr(int(code[1])), text.strip('"').replace("#quot;", '"'))
    parts = [part.replace("\\", "\\\\").replace('"', '\\"') for part in re.split(r"<br ?/?>", text)]
    return '"' + "\\n".join(parts) + '"'


def svg(text):
    """The picture of a flowchart, as a part of a page with its colours. A click shows it in full size."""
    source = "\n".join(Flowchart(text).statements + ["}"])
    made = subprocess.run(["dot", "-Tsvg"], input=source, capture_output=True, text=True)
    if made.returncode:
        raise Unknown(0, f"this picture: {made.stderr.strip()}")
    drawn = made.stdout
    drawn = re.sub(r' id="[^"]*"|<title>.*?</title>\n|<!--.*?-->\n?', "", drawn[drawn.index("<svg"):], flags=re.DOTALL)
    width = round(float(re.search(r'width="([\d.]+)pt"', drawn)[1]))
    words = ", ".join(dict.fromkeys(html.unescape(word) for word in re.findall(r"<text[^>]*>([^<]*)<", drawn)))
    start = f'<svg role="img" aria-label="{html.escape("Picture: " + words)}" style="width: {width}pt"'
    switch = '<input type="checkbox" class="visually-hidden" aria-label="Full size">'
    drawn = re.sub(r"<svg width=.* height=.*", lambda _: start, drawn, count=1)
    return f'<label class="picture">{switch}{drawn}</label>'
