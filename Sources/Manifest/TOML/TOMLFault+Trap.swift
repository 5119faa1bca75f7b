import Diagnostics

extension TOMLFault {
    /// A clearer diagnostic than toml++'s, for a mistake that is common because other languages allow it; nil
    /// for any other fault.
    ///
    /// - Parameters:
    ///   - part: the part of the text that toml++ was reading, such as `inline table`.
    ///   - words: the message of toml++.
    func trap(_ part: String, _ words: String, in source: TOMLSource) -> Diagnostic? {
        func diagnostic(_ message: String, _ help: String, code: ManifestCode = .syntax) -> Diagnostic {
            Diagnostic(.error, code.code, message, at: span(in: source), help: [help])
        }
        let seen = words.firstRange(of: "saw ").map { words[$0.upperBound...] } ?? ""
        switch part {
        case "inline table" where ["`\\n`", "`\\r`", "`#`"].contains { seen.hasPrefix($0) }:
            return diagnostic(
                "an inline table must end on the line that it starts on",
                "write it on one line, or as a header with a line for each key", code: .inlineTableOverLines)
        case "inline table" where words.contains("dangling comma"):
            return diagnostic("expected a key after the comma, found `}`", "remove the comma")
        case "value" where words.hasPrefix("could not determine value type"):
            return diagnostic(
                "expected a value, such as `1`, `true`, `\"text\"` or `{ … }`",
                "put strings and expressions in quotes")
        case "boolean":
            return diagnostic("expected `true` or `false`", "write it in lower case")
        case "key-value pair" where seen.hasPrefix("`:`"):
            return diagnostic("expected `=`, found `:`", "write `=` between a key and its value")
        case "key-value pair" where seen.hasPrefix("`;`"):
            return diagnostic("expected the end of the line, found `;`", "remove the `;`")
        case "key-value pair" where words.hasPrefix("expected a comment or whitespace"):
            guard let quote = quote(before: position, in: source) else { return nil }
            let other = quote == "'" ? "\"" : "'"
            return diagnostic(
                "expected the end of the line after the closing `\(quote)`",
                "a `\(quote)` ends the string; write `\(other)` inside it")
        case "root table" where seen.hasPrefix("`/`"):
            return diagnostic("expected a key or a header, found `/`", "a comment begins with `#`")
        case "string" where words.hasPrefix("unknown escape sequence"):
            return diagnostic(
                words, "write `\\\\` for a backslash, or put the string in `'…'`, which has no escapes")
        case "string" where isAtEndOfLine(source):
            return diagnostic(
                "the string has no closing quote on its line", "put a string of several lines in `\"\"\"`")
        default: return nil
        }
    }

    private func isAtEndOfLine(_ source: TOMLSource) -> Bool {
        let index = source.index(of: position)
        return index < source.scalars.count && ["\r", "\n"].contains(source.scalars[index])
    }

    /// The closing quote just before a position; nil if another character is there.
    private func quote(before position: SourcePosition, in source: TOMLSource) -> Unicode.Scalar? {
        let index = source.index(of: position)
        guard index > 0 else { return nil }
        let scalar = source.scalars[index - 1]
        return scalar == "'" || scalar == "\"" ? scalar : nil
    }
}
