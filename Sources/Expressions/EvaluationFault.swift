public import Diagnostics

/// Why an expression has no value for the records it was given.
///
/// One word in size, so that throwing closures return their values in registers.
public struct EvaluationFault: Error, Sendable {
    private final class Content: Sendable {
        let code: DiagnosticCode
        let message: String
        let range: Range<Int>

        init(code: DiagnosticCode, message: String, range: Range<Int>) {
            (self.code, self.message, self.range) = (code, message, range)
        }
    }

    private let content: Content

    /// A fault at a range of UTF-8 offsets of the expression.
    public init(_ code: DiagnosticCode, _ message: String, at range: Range<Int>) {
        content = Content(code: code, message: message, range: range)
    }

    /// The stable code of this kind of fault.
    public var code: DiagnosticCode { content.code }
    /// One sentence: lower case, no full stop, the offending value in backticks.
    public var message: String { content.message }
    /// The smallest part of the expression that fails, as UTF-8 offsets.
    public var range: Range<Int> { content.range }
}

extension EvaluationFault: Hashable {
    public static func == (left: EvaluationFault, right: EvaluationFault) -> Bool {
        left.code == right.code && left.message == right.message && left.range == right.range
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
        hasher.combine(range)
    }
}

extension EvaluationFault: CustomStringConvertible {
    public var description: String { message }
}
