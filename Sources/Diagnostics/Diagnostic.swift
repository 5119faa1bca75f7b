/// Something to tell the user about a file or a run: what is wrong, where, and what to do.
public struct Diagnostic: Error, Hashable, Sendable {
    /// How bad it is.
    public enum Severity: String, Sendable {
        /// The thing cannot be used as it is.
        case error
        /// It can, but is probably not meant so.
        case warning
    }

    /// A place with a few words about it.
    public struct Label: Hashable, Sendable {
        /// The characters meant.
        public let span: SourceSpan
        /// What to say about them; may be empty.
        public let text: String

        /// Some words, or none, about these characters.
        public init(_ span: SourceSpan, _ text: String = "") {
            (self.span, self.text) = (span, text)
        }
    }

    /// How bad it is.
    public let severity: Severity
    /// The stable code of this kind of diagnostic.
    public let code: DiagnosticCode
    /// One sentence that stands alone: lower case, no full stop, the offending thing in backticks.
    public let message: String
    /// The place it is about; nil when no text is at fault, as for a file that cannot be read.
    public let place: Label?
    /// Other places involved, such as the first of two equal names.
    public let related: [Label]
    /// Facts, one line each.
    public let notes: [String]
    /// What to do, one line each.
    public let help: [String]

    /// A diagnostic; the message and each line of notes and help follow the form that the properties state.
    public init(
        _ severity: Severity, _ code: DiagnosticCode, _ message: String, at span: SourceSpan? = nil,
        label: String = "", related: [Label] = [], notes: [String] = [], help: [String] = []
    ) {
        (self.severity, self.code, self.message) = (severity, code, message)
        place = span.map { Label($0, label) }
        (self.related, self.notes, self.help) = (related, notes, help)
    }
}
