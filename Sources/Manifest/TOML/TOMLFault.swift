import Diagnostics

/// The message of toml++ about a text that is not TOML.
struct TOMLFault {
    let description: String
    let position: SourcePosition

    /// The diagnostic for the user. It shows both spans of a key that is defined twice.
    func diagnostic(in source: TOMLSource) -> Diagnostic {
        let (part, words) = split
        if words.hasPrefix("cannot redefine") || words.hasPrefix("cannot insert"),
            let found = redefinition(in: source)
        {
            return found
        }
        if let trap = trap(part, words, in: source) { return trap }
        let isNested = words.contains("nested value depth") || words.hasPrefix("a key has more")
        let message =
            words.hasPrefix("exceeded maximum nested value depth")
            ? "a value is nested deeper than 64"
            : words == "encountered end-of-file" ? "the file ends too early" : words
        let article = part.hasPrefix("i") || part.hasPrefix("a") ? "an" : "a"
        return Diagnostic(
            .error, (isNested ? ManifestCode.nestedTooDeep : .syntax).code,
            part.isEmpty || isNested ? message : "\(message) in \(article) \(part)", at: span(in: source))
    }

    /// The character at the fault's position. At the end of a line or of the file it is empty, which shows
    /// one caret.
    func span(in source: TOMLSource) -> SourceSpan {
        let index = source.index(of: position)
        return SourceSpan(
            file: source.file, start: position,
            end: index < source.scalars.count && source.scalars[index] != "\n"
                ? SourcePosition(line: position.line, column: position.column + 1) : position)
    }

    /// `Error while parsing PART: WORDS`, quotes as backticks.
    private var split: (part: String, words: String) {
        var (part, words) = ("", description)
        let prefix = "Error while parsing "
        if words.hasPrefix(prefix), let colon = words.firstIndex(of: ":") {
            part = String(words[words.index(words.startIndex, offsetBy: prefix.count)..<colon])
            words = String(words[words.index(after: colon)...].drop { $0 == " " })
        }
        return (part, String(words.map { $0 == "'" ? "`" : $0 }))
    }

    private func redefinition(in source: TOMLSource) -> Diagnostic? {
        let mentions = TOMLOutline(source).mentions
        // toml++ reports a header's start, or its end if a part of its path has the fault. It reports a key's
        // end.
        let index =
            mentions.firstIndex {
                $0.kind == .header && $0.start == position && description.contains("'\($0.written)'")
            }
            ?? mentions.lastIndex { $0.start < position }
        guard let index else { return nil }
        let second = mentions[index]
        let earlier = mentions[..<index]
        let name = second.path.joined(separator: ".")
        let enclosed = earlier.last { first in
            first.path.count + (second.kind == .header ? 0 : 1) <= second.path.count
                && second.path.starts(with: first.path) && first.end.map { $0 <= second.start } == true
        }
        if let first = enclosed {
            let table = first.path.joined(separator: ".")
            return Diagnostic(
                .error, ManifestCode.inlineTableExtended.code,
                "`\(table)` is an inline table and cannot be extended outside its braces", at: second.span,
                related: [Diagnostic.Label(first.span, "written in braces here")],
                help: ["write everything inside the braces, or `[\(table)]` with a line for each key instead"]
            )
        }
        if second.kind == .header, !earlier.contains(where: { $0.kind == .header && $0.path == second.path }),
            let first = earlier.first(where: {
                $0.path.count > second.path.count && $0.path.starts(with: second.path)
            }),
            first.kind != .header
        {
            return Diagnostic(
                .error, ManifestCode.headerAfterDottedKey.code,
                "`[\(name)]` comes after `\(first.written)`, which already defines the table",
                at: second.span, related: [Diagnostic.Label(first.span, "defined here")],
                help: [
                    "write all keys of `\(name)` below `[\(name)]`, or all of them as `\(name).KEY`"
                ])
        }
        guard
            let first = earlier.first(where: { $0.path == second.path })
                ?? earlier.first(where: { second.path.starts(with: $0.path) && $0.kind != .header })
                ?? earlier.first(where: { $0.path.starts(with: second.path) })
        else { return nil }
        return Diagnostic(
            .error, ManifestCode.definedTwice.code,
            first.path == second.path
                ? "`\(name)` is defined twice"
                : "`\(name)` cannot stand beside `\(first.path.joined(separator: "."))`",
            at: second.span, related: [Diagnostic.Label(first.span, "first defined here")])
    }
}
