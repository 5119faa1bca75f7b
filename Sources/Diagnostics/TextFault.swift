/// A fault in a text without its file: the parsers of expressions and declarations report it.
///
/// With the `SourceText`, its range becomes a span in the file, and the fault a `Diagnostic`.
public struct TextFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The stable code of this kind of fault.
    public let code: DiagnosticCode
    /// One sentence: lower case, no full stop, the offending thing in backticks.
    public let message: String
    /// The offending characters, as UTF-8 offsets.
    public let range: Range<Int>
    /// The text after the carets; empty for carets alone.
    public let label: String
    /// What to do, one line each.
    public let help: [String]

    /// A fault at a range of UTF-8 offsets.
    public init(
        _ code: DiagnosticCode, _ message: String, at range: Range<Int>, label: String = "",
        help: [String] = []
    ) {
        (self.code, self.message, self.range, self.label, self.help) = (code, message, range, label, help)
    }

    public var description: String { message }

    /// The fault as an error in the file of `text`.
    public func diagnostic(in text: SourceText) -> Diagnostic {
        Diagnostic(.error, code, message, at: text.span(of: range), label: label, help: help)
    }
}
