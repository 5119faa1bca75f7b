/// A comment's usual column is 41.
private func at41(_ text: String, _ comment: String) -> String {
    text + String(repeating: " ", count: 41 - text.count) + comment
}

extension ManifestFormatterTests.Example {
    static let all = values + blocks + arrays + comments + headers + order + commentedOut

    private static let values: [Self] = [
        Self("one space around `=`, none at the end", "a=1\t \n\nb  \t=  2", "a = 1\n\nb = 2\n"),
        Self("inline tables", "a={ }\nb={x=1,y={z=2}}\n", "a = {}\nb = { x = 1, y = { z = 2 } }\n"),
        Self("arrays", "a=[ ]\nb=[ 1,2 , [3 ] , ]\n", "a = []\nb = [1, 2, [3]]\n"),
        Self("both", "a=[{x=[]},{ }]", "a = [{ x = [] }, {}]\n"),
        Self(
            "dotted keys", "a . \"b c\"\t.  d=1\ne.'f'={g . h=1}",
            "a.\"b c\".d = 1\ne.'f'     = { g.h = 1 }\n"),
        Self(
            "quoted keys", "\"a=#\\\"[\"=1\n''=2\n\"'\"=3", "\"a=#\\\"[\" = 1\n''       = 2\n\"'\"      = 3\n"
        ),
        Self(
            "values are kept as they are written",
            "a=+1_000\nb=0xFF\nc=1e-3\nd=-inf\ne=true\nf=1979-05-27 07:32:00Z\ng=1979-05-27T07:32:00.5\nh=\"\\u00e9\"",
            "a = +1_000\nb = 0xFF\nc = 1e-3\nd = -inf\ne = true\nf = 1979-05-27 07:32:00Z\ng = 1979-05-27T07:32:00.5\nh = \"\\u00e9\"\n"
        ),
        Self(
            "strings", "a='#\"[\\'\nb=\"#'\\\\\"\nc=\"\"\nd=''",
            "a = '#\"[\\'\nb = \"#'\\\\\"\nc = \"\"\nd = ''\n"),
        Self(
            "strings on several lines",
            "a=\"\"\"\n x = 1 # y \t\n\n\n  [z]\\\n  \"\" \\\"\"\"\"\"\"\nb='''a''\\''''' # c",
            "a = \"\"\"\n x = 1 # y \t\n\n\n  [z]\\\n  \"\" \\\"\"\"\"\"\"\n"
                + at41("b = '''a''\\'''''", "# c") + "\n"),
        Self(
            "letters of other languages", "name='é'#é\n'e\u{301}'='ü'",
            at41("name = 'é'", "#é") + "\n'e\u{301}' = 'ü'\n"),
    ]

    private static let blocks: [Self] = [
        Self(
            "`=` is in one column", "a=1\nlong=2\n\nb=3\n#x\nlonger=4\nc=5",
            "a    = 1\nlong = 2\n\nb = 3\n#x\nlonger = 4\nc      = 5\n"),
        Self("a value on several lines ends no block", "a=[\n1]\nlong=2", "a    = [\n    1,\n]\nlong = 2\n"),
        Self(
            "a key of more than 40 characters moves no other",
            "a=1\n\(String(repeating: "k", count: 41))=2\nbb=3",
            "a  = 1\n\(String(repeating: "k", count: 41)) = 2\nbb = 3\n"),
        Self(
            "a key of 40 characters does", "a=1\n\(String(repeating: "k", count: 40))=2",
            "a\(String(repeating: " ", count: 39)) = 1\n\(String(repeating: "k", count: 40)) = 2\n"),
        Self("at most one blank line", "\n\n\na=1\n \n\t\n\nb=2\n\n\n", "a = 1\n\nb = 2\n"),
        Self("indented lines", "  a=1\n\t[b]\n    c=2\n  # d", "a = 1\n\n[b]\nc = 2\n# d\n"),
    ]

    private static let arrays: [Self] = [
        Self("lines of arrays are kept", "a=[1,2,\n3\n]", "a = [\n    1, 2,\n    3,\n]\n"),
        Self("also that of the bracket alone", "a=[1,2\n]", "a = [\n    1, 2,\n]\n"),
        Self("but not without elements", "a=[\n\n]\nb=[[\n]]", "a = []\nb = [[]]\n"),
        Self(
            "each level has four spaces", "a=[\n[1,\n{b=[\n2]}\n]\n]",
            "a = [\n    [\n        1,\n        { b = [\n            2,\n        ] },\n    ],\n]\n"),
        Self("levels on one line are one", "a=[[\n1],[\n2]]", "a = [[\n    1,\n], [\n    2,\n]]\n"),
        Self(
            "commas come after their values", "a=[\n1 # x\n,2\n\n , 3,# y\n]",
            "a = [\n" + at41("    1,", "# x") + "\n    2,\n\n" + at41("    3,", "# y") + "\n]\n"),
        Self(
            "blank lines within arrays", "a=[\n\n\n1,\n\n\n# x\n\n2\n\n]",
            "a = [\n    1,\n\n    # x\n\n    2,\n]\n"),
        Self(
            "strings on several lines within arrays", "a=[\n'''\n  x\n ''',\n]",
            "a = [\n    '''\n  x\n ''',\n]\n"),
    ]

    private static let comments: [Self] = [
        Self("comments are kept as they are", "#a\n#  b\t \n#\n#:c", "#a\n#  b\n#\n#:c\n"),
        Self(
            "comments after values are in one column", "a=1#x\nb=2 #y",
            "\(at41("a = 1", "#x"))\n\(at41("b = 2", "#y"))\n"),
        Self(
            "which is two spaces after the longest of these lines",
            "a='\(String(repeating: "x", count: 40))' # a\nbb=1 # b\nccc='\(String(repeating: "x", count: 90))'\n",
            "a   = '\(String(repeating: "x", count: 40))'  # a\nbb  = 1\(String(repeating: " ", count: 43))# b\nccc = '\(String(repeating: "x", count: 90))'\n"
        ),
        Self(
            "a line of more than 100 characters moves no other comment",
            "a='\(String(repeating: "x", count: 95))'# a\nb=1 # b",
            "a = '\(String(repeating: "x", count: 95))'  # a\n\(at41("b = 1", "# b"))\n"),
        Self(
            "comments of arrays", "a=[ # open\n# one\n1, # two\n# three\n] # close\n",
            at41("a = [", "# open") + "\n    # one\n" + at41("    1,", "# two") + "\n    # three\n"
                + at41("]", "# close") + "\n"),
        Self(
            "a comment alone in an array", "a=[#x\n]\nb=[\n#y\n]",
            at41("a = [", "#x") + "\n]\nb = [\n    #y\n]\n"),
        Self(
            "comments at every place", "# 1\n\na=1 # 2\n# 3\n[b] # 4\n# 5\n\n# 6\nc={} # 7\n# 8",
            "# 1\n\n" + at41("a = 1", "# 2") + "\n\n# 3\n" + at41("[b]", "# 4") + "\n# 5\n\n# 6\n"
                + at41("c = {}", "# 7") + "\n# 8\n"),
    ]

    private static let headers: [Self] = [
        Self(
            "a blank line before each header", "a=1\n[b]\n[b.c]\n[[d]]\nx=1\n[[d]]",
            "a = 1\n\n[b]\n\n[b.c]\n\n[[d]]\nx = 1\n\n[[d]]\n"),
        Self("but none at the start of the text", "\n\n[a]", "[a]\n"),
        Self(
            "none between a header and its first key", "[a]\n\n\nb=1\n[c]\n# x\nd=1",
            "[a]\nb = 1\n\n[c]\n# x\nd = 1\n"),
        Self("a comment may be apart from the header", "[a]\n\n\n# x\nb=1", "[a]\n\n# x\nb = 1\n"),
        Self("none between a header and its comment", "a=1\n# b\n# c\n[d]", "a = 1\n\n# b\n# c\n[d]\n"),
        Self("headers", "[ a . \"b.]\" ]#x\n[[\tc ]]", at41("[a.\"b.]\"]", "#x") + "\n\n[[c]]\n"),
        Self("a directive is for the file", "#:schema ./s.json\n[a]", "#:schema ./s.json\n\n[a]\n"),
        Self(
            "and so is the name of an interpreter", "#!/usr/bin/env spinhost\n[loops.a]\n[app]",
            "#!/usr/bin/env spinhost\n\n[app]\n\n[loops.a]\n"),
    ]

    private static let order: [Self] = [
        Self(
            "the order of tables",
            "[[tests]]\nn=1\n[loops.b]\n[loops.a]\n[gears.g]\n[plugins.p]\n[config]\n[types]\n[app]\n[[tests]]\nn=2\n[tests.effects]\nx=1",
            "[app]\n\n[types]\n\n[config]\n\n[plugins.p]\n\n[gears.g]\n\n[loops.b]\n\n[loops.a]\n\n[[tests]]\nn = 1\n\n[[tests]]\nn = 2\n\n[tests.effects]\nx = 1\n"
        ),
        Self(
            "keys keep theirs", "x=1\ninclude=[]\napp.stay=true\n[loops.a]\nz=1\na=1\n[loops.a.on]",
            "x        = 1\ninclude  = []\napp.stay = true\n\n[loops.a]\nz = 1\na = 1\n\n[loops.a.on]\n"),
        Self(
            "comments move with their header and keys",
            "# file\n\n# l\n[loops.a]\n# k\nx=1\n# below\n\n# p\n[ 'plugins' . b]#q\n# r",
            "# file\n\n# p\n" + at41("['plugins'.b]", "#q") + "\n# r\n\n# l\n[loops.a]\n# k\nx = 1\n# below\n"
        ),
        Self(
            "but the comments at the start of the text stay there",
            "#!/usr/bin/env spinhost\n# SPDX-License-Identifier: MIT\n# l\n[loops.a]\n# p\n[plugins.b]",
            "#!/usr/bin/env spinhost\n# SPDX-License-Identifier: MIT\n# l\n\n# p\n[plugins.b]\n\n[loops.a]\n"),
        Self(
            "also below a directive and a blank line", "#:schema ./s.json\n\n# l\n[loops.a]\n[app]",
            "#:schema ./s.json\n\n# l\n\n[app]\n\n[loops.a]\n"),
        Self("above a header that stays, too", "# a\n[app]\n[loops.a]", "# a\n[app]\n\n[loops.a]\n"),
        Self(
            "nothing moves across a comment that stands alone",
            "[loops.a]\n\n# Part 2\n\n[loops.b]\n[plugins.b]",
            "[loops.a]\n\n# Part 2\n\n[plugins.b]\n\n[loops.b]\n"),
        Self(
            "which stays where it is",
            "# l\n[loops.a]\n[app]\n# a\n\n# title\n\n# 2\n\n# p\n[plugins.b]\n[config]\n\n# end",
            "# l\n\n[app]\n# a\n\n[loops.a]\n\n# title\n\n# 2\n\n[config]\n\n# p\n[plugins.b]\n\n# end\n"),
        Self(
            "or a table of the user", "[loops.a]\n[x-mine]\n[plugins.b]",
            "[loops.a]\n\n[x-mine]\n\n[plugins.b]\n"),
        Self(
            "or one that manifests do not have", "[loops.a]\n[include]\n[plugins.b]",
            "[loops.a]\n\n[include]\n\n[plugins.b]\n"),
        Self(
            "or one with an odd key", "[loops.a]\n[\"pl\\u0075gins\".b]\n[app]",
            "[loops.a]\n\n[\"pl\\u0075gins\".b]\n\n[app]\n"),
    ]

    private static let commentedOut: [Self] = [
        Self(
            "a last key that is commented out stays in its table",
            "[loops.a]\nuntil=\"false\"\n# on-fault = \"stop\"\n[plugins.p]",
            "[plugins.p]\n\n[loops.a]\nuntil = \"false\"\n# on-fault = \"stop\"\n"),
        Self(
            "and so do several of them, but not the text below",
            "[loops.a]\nx=1\n#y . z=[\n# 1 # one\n#]\n#\n# [loops.b] # two\n#\n# The plugin x = 1\n# z = 1\n[plugins.p]",
            "#\n# The plugin x = 1\n# z = 1\n[plugins.p]\n\n[loops.a]\nx = 1\n#y . z=[\n# 1 # one\n#]\n#\n# [loops.b] # two\n"
        ),
        Self(
            "also directly below the header", "[loops.a]\n# x = 1\n# text\n[loops.b]",
            "[loops.a]\n# x = 1\n\n# text\n[loops.b]\n"),
        Self("and above all headers", "a=1\n#b=2\n[app]", "a = 1\n#b=2\n\n[app]\n"),
        Self(
            "below a blank line or a comment it moves",
            "[loops.b]\nx=1\n\n# y = 1\n[loops.a]\nx=1\n#:d\n# z = 1\n[plugins.p]",
            "# z = 1\n[plugins.p]\n\n[loops.b]\nx = 1\n\n# y = 1\n[loops.a]\nx = 1\n#:d\n"),
        Self(
            "text with `=` or brackets is text",
            "[loops.a]\n# The limit = 1\n[loops.b]\n# x = 1 [ms]\n[loops.c]\n# [see] below\n[loops.d]\n# {} = 1\n[plugins.p]",
            "# {} = 1\n[plugins.p]\n\n[loops.a]\n\n# The limit = 1\n[loops.b]\n\n# x = 1 [ms]\n[loops.c]\n\n# [see] below\n[loops.d]\n"
        ),
    ]
}
