import Diagnostics

extension TOMLFault {
    /// A mistake that is common because other languages are written so, in better words than those of toml++.
    ///
    /// - Parameters:
    ///   - part: the part of the text that was being read, such as `inline table`.
    ///   - words: what toml++ says of it.
    func trap(_ part: String, _ words: String, in source: TOMLSource) -> Diagnostic? {
        func diagnostic(_ message: String, _ help: String, code: ManifestCode = .syntax) -> Diagnostic {
            Diagnostic(.error, code.code, message, at: span(in: source), help: [help])
        }
        let seen = words.firstRange(of: "saw ").map { words[$0.upperBound...] } ?? ""
        switch part {
        case "inline table" where ["`\\n`", "`\\r`", "`#`"].contains { seen.hasPrefix($0) }:
            return diagnostic(
                "an inline table ends on the line that it begins on",
                "write it on one line, or as a header with a line for each key", code: .inlineTableOverLines)
        case "inline table" where words.contains("dangling comma"):
            return diagnostic("no comma stands before the `}` of an inline table", "leave the comma out")
        case "value" where words.hasPrefix("could not determine value type"):
            return diagnostic(
                "expected a value, such as `1`, `true`, `\"text\"` or `{ … }`",
                "texts and expressions stand in quotes")
        case "boolean":
            return diagnostic("expected `true` or `false`", "both are written with small letters")
        case "key-value pair" where seen.hasPrefix("`:`"):
            return diagnostic("expected `=`, found `:`", "`=` stands between a key and its value")
        case "key-value pair" where seen.hasPrefix("`;`"):
            return diagnostic("expected the end of the line, found `;`", "leave it out")
        case "key-value pair" where words.hasPrefix("expected a comment or whitespace"):
            guard let quote = quote(before: position, in: source) else { return nil }
            let other = quote == "'" ? "\"" : "'"
            return diagnostic(
                "expected the end of the line behind the closing `\(quote)`",
                "a `\(quote)` ends the text; inside of it write `\(other)`")
        case "root table" where seen.hasPrefix("`/`"):
            return diagnostic("expected a key or a header, found `/`", "a comment begins with `#`")
        case "string" where words.hasPrefix("unknown escape sequence"):
            return diagnostic(
                words, "write `\\\\` for a backslash, or `'…'` around the text to take it as it is")
        case "string" where isAtEndOfLine(source):
            return diagnostic(
                "the text has no closing quote on its line", "a text over several lines stands in `\"\"\"`")
        default: return nil
        }
    }

    private func isAtEndOfLine(_ source: TOMLSource) -> Bool {
        let index = source.index(of: position)
        return index < source.scalars.count && ["\r", "\n"].contains(source.scalars[index])
    }

    /// The quote that ends the text just before a place.
    private func quote(before position: SourcePosition, in source: TOMLSource) -> Unicode.Scalar? {
        let index = source.index(of: position)
        guard index > 0 else { return nil }
        let scalar = source.scalars[index - 1]
        return scalar == "'" || scalar == "\"" ? scalar : nil
    }
}
