public import Diagnostics

/// The reason why an expression has no value for the given records.
///
/// It has the size of one word, so that throwing closures return their values in registers.
public struct EvaluationFault: Error, Sendable {
    private final class Content: Sendable {
        let fault: TextFault
        let help: (@Sendable () -> [String])?
        let source: SourceText?

        init(_ fault: TextFault, help: (@Sendable () -> [String])?, source: SourceText? = nil) {
            (self.fault, self.help, self.source) = (fault, help, source)
        }
    }

    private let content: Content

    /// A fault at a range of UTF-8 offsets of the expression.
    public init(_ code: DiagnosticCode, _ message: String, at range: Range<Int>) {
        self.init(TextFault(code, message, at: range))
    }

    /// A fault with a help text. The text is made only when it is shown, because many faults are absorbed.
    init(
        _ code: DiagnosticCode, _ message: String, at range: Range<Int>,
        help: @escaping @Sendable () -> [String]
    ) {
        content = Content(TextFault(code, message, at: range), help: help)
    }

    /// A fault found at load. It counts only when that part of the expression is evaluated.
    init(_ fault: TextFault) { content = Content(fault, help: nil) }

    /// The same fault, whose range is of a binding's expression.
    func inside(_ source: SourceText) -> EvaluationFault {
        guard self.source == nil else { return self }
        return EvaluationFault(Content(content.fault, help: content.help, source: source))
    }

    private init(_ content: Content) { self.content = content }

    /// The text of the binding in which the fault is; nil: it is in the expression itself.
    public var source: SourceText? { content.source }

    /// The fault with its help.
    public var textFault: TextFault {
        guard let help = content.help else { return content.fault }
        return TextFault(code, message, at: range, help: help())
    }

    /// The stable code of this kind of fault.
    public var code: DiagnosticCode { content.fault.code }
    /// One sentence: lower case, no full stop, the wrong value in backticks.
    public var message: String { content.fault.message }
    /// The smallest part of the expression that fails, as UTF-8 offsets.
    public var range: Range<Int> { content.fault.range }
}

extension EvaluationFault: Hashable {
    /// True when code, message and range are equal. The help is not compared.
    public static func == (left: EvaluationFault, right: EvaluationFault) -> Bool {
        left.code == right.code && left.message == right.message && left.range == right.range
    }

    /// Hashes code, message and range.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
        hasher.combine(range)
    }
}

extension EvaluationFault: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
