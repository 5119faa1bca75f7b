import Diagnostics

/// The rule for names that a manifest declares.
package enum NameRule {
    /// Checks the name of a field, which must be valid in expressions and in C, or another name of that kind (`what`).
    /// Reports an invalid name.
    static func checkField(
        _ entry: TOMLEntry, _ collector: DiagnosticCollector, as what: String = "a field"
    ) -> Bool {
        guard check(entry, what, collector) else { return false }
        if reserved.contains(entry.key) {
            collector.error(
                .invalidName, "\(what) cannot be called `\(entry.key)`", at: entry.keySpan,
                label: "expressions use this word")
            return false
        }
        return true
    }

    /// Checks any other name. `what` is the kind of the named thing with its article. Reports an invalid
    /// name.
    static func check(_ entry: TOMLEntry, _ what: String, _ collector: DiagnosticCollector) -> Bool {
        guard isName(entry.key) else {
            collector.error(
                .invalidName, "`\(entry.key)` cannot be the name of \(what)", at: entry.keySpan,
                help: [help])
            return false
        }
        return true
    }

    /// The rule of `check`.
    package static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, letters.contains(first) else { return false }
        return text.utf8.allSatisfy { letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "_") }
    }

    /// The rule of `checkField`.
    package static func isFieldName(_ text: String) -> Bool { isName(text) && !reserved.contains(text) }

    /// The rule of POSIX for names of variables of the environment.
    static func isVariable(_ text: String) -> Bool {
        guard let first = text.utf8.first, !digits.contains(first) else { return false }
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        return text.utf8.allSatisfy {
            letters.contains($0) || capitals.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "_")
        }
    }

    /// The rule of `check` in words.
    package static let help = "a name is letters a to z, digits and `_`, a letter first"

    /// The rule of `check` as a regular expression.
    static let pattern = "[a-z][a-z0-9_]*"

    private static let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    // The literals and reserved words of CEL's grammar, and the fixed keys of tables that contain fields.
    private static let reserved: Set = [
        "true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if",
        "import",
        "let", "loop", "package", "namespace", "return", "var", "void", "while", "type", "case", "event",
    ]
}
