/// A message to the user about a file or a run: the fault, its place in a text, and what to do.
public struct Diagnostic: Error, Hashable, Sendable {
    /// The severity of a diagnostic.
    public enum Severity: String, Sendable {
        /// The host cannot use the file or the part.
        case error
        /// The host can use it, but the user probably meant something else.
        case warning
    }

    /// A span with a short text about it.
    public struct Label: Hashable, Sendable {
        /// The marked characters.
        public let span: SourceSpan
        /// The text about them; may be empty.
        public let text: String

        /// A label for these characters.
        public init(_ span: SourceSpan, _ text: String = "") {
            (self.span, self.text) = (span, text)
        }
    }

    /// Its severity.
    public let severity: Severity
    /// The stable code of this kind of diagnostic.
    public let code: DiagnosticCode
    /// One sentence that can be read alone: lower case, no full stop, the offending thing in backticks.
    public let message: String
    /// The span of the fault; nil if the fault is not in a text, as for a file that cannot be read.
    public let place: Label?
    /// Other spans involved, such as the first of two equal names.
    public let related: [Label]
    /// Facts, one line each.
    public let notes: [String]
    /// What to do, one line each.
    public let help: [String]

    /// A diagnostic. The texts must have the form that the properties document.
    public init(
        _ severity: Severity, _ code: DiagnosticCode, _ message: String, at span: SourceSpan? = nil,
        label: String = "", related: [Label] = [], notes: [String] = [], help: [String] = []
    ) {
        (self.severity, self.code, self.message) = (severity, code, message)
        place = span.map { Label($0, label) }
        (self.related, self.notes, self.help) = (related, notes, help)
    }
}
