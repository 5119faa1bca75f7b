import Diagnostics
import Expressions
import HostLoop
import Interfaces
import Manifest
import PluginHost
import Records

/// The error of this module for a step or a run that went wrong. It holds the `Diagnostic` that users read.
///
/// It is one word long, because the functions of each step can throw it.
struct RunFault: Error, Sendable {
    private final class Content: Sendable {
        let diagnostic: Diagnostic
        let (code, reason): (Int64, String)

        init(_ diagnostic: Diagnostic, code: Int64, reason: String) {
            (self.diagnostic, self.code, self.reason) = (diagnostic, code, reason)
        }
    }

    private let content: Content

    var diagnostic: Diagnostic { content.diagnostic }
    /// `error.code` in `on-error`.
    var code: Int64 { content.code }
    /// `error.message` in `on-error`.
    var reason: String { content.reason }

    /// `error.code` when an expression of `args` or `fails-if` has no value.
    private static let noValue: Int64 = -1000

    private init(_ diagnostic: Diagnostic, code: Int64, reason: String? = nil) {
        content = Content(diagnostic, code: code, reason: reason ?? diagnostic.message)
    }

    /// An expression without a value; the fault points at the part that failed, perhaps in a `let`.
    init(_ fault: EvaluationFault, in text: SourceText) {
        self.init(
            Diagnostic(.error, fault.code, fault.message, at: (fault.source ?? text).span(of: fault.range)),
            code: Self.noValue)
    }

    /// A value of a new state that is out of its field's range.
    init(_ value: Value, outside range: RangeModel, at span: SourceSpan) {
        self.init(
            Diagnostic(
                .error, .outOfRange,
                "`\(range.field.name)` would be `\(RangeModel.text(of: value))`, which is out of its range",
                at: span, label: "the range is \(range.text)"),
            code: DiagnosticCode.outOfRange.failureCode)
    }

    /// A message whose key is too long.
    init(keyTooLong error: LoopKey.TooLong, at span: SourceSpan) {
        self.init(
            Diagnostic(.error, .outOfRange, "\(error)", at: span), code: DiagnosticCode.outOfRange.failureCode
        )
    }

    /// A native reducer that has changed the key of its instance.
    init(keyChangedBy reducer: ReducerReference) {
        self.init(
            Diagnostic(
                .error, .outOfRange, "`\(reducer.description.name)` has changed the key of its instance",
                at: reducer.span,
                help: ["leave the field `key` of the state as it is"]),
            code: DiagnosticCode.outOfRange.failureCode)
    }

    /// A call into a plugin that failed, of the effect or reducer that the manifest names at `place`.
    init(_ error: PluginError, at place: SourceSpan) {
        self.init(
            Diagnostic(.error, error.code, error.message, at: place, help: error.help),
            code: error.code.failureCode)
    }

    /// An effect that emitted an invalid payload, or by an unknown emitter (nil).
    init(emissionOf effect: EffectReference, emitter: String?, _ reason: String) {
        let what = emitter.map { "emitted a `\($0)` that is not what the emitter declares" }
        self.init(
            Diagnostic(
                .error, .badEmission, "`\(effect.name)` \(what ?? "emitted an unknown event"): \(reason)",
                at: effect.span),
            code: DiagnosticCode.badEmission.failureCode)
    }

    /// A callback whose event the mailbox refused.
    init(mailboxIsFullFor callback: String, of effect: EffectReference) {
        self.init(
            Diagnostic(
                .error, .callbackUnheard,
                "an event of callback `\(callback)` is lost: the loop's mailbox is full", at: effect.span,
                help: [
                    "give the loop a larger `mailbox`, or call `\(effect.name)` with `executor = \"loop\"`"
                ]),
            code: DiagnosticCode.callbackUnheard.failureCode)
    }

    /// An effect that reports its own failure.
    ///
    /// - Parameters:
    ///   - what: the failure in words.
    ///   - reason: `error.message`, when that is not `what`.
    private init(failureOf effect: EffectReference, _ what: String, code: Int64, reason: String? = nil) {
        self.init(
            Diagnostic(.error, .effectFailed, "`\(effect.name)` failed: \(what)", at: effect.span),
            code: code,
            reason: reason ?? what)
    }

    /// An effect that emits and reports its own failure; `text` may be empty.
    init(failureOf effect: EffectReference, code: Int64, text: String) {
        self.init(failureOf: effect, text.isEmpty ? "code \(code)" : text, code: code, reason: text)
    }

    /// The failure that the outcome of a call is by the manifest's test: a value of `CallSignature.outcome`.
    init(outcome: Value, of effect: EffectReference) {
        let result = outcome["result"].map { "it returned \($0.json)" } ?? "it returned"
        guard case .int(let number)? = outcome["errno"], number != 0 else {
            self.init(failureOf: effect, result, code: -1)
            return
        }
        let text = SystemError(number: Int32(number)).text
        self.init(failureOf: effect, "\(result), errno \(number) (\(text))", code: number)
    }

    /// The failure of a feedback's run.
    ///
    /// - Parameters:
    ///   - effect: the effect that the feedback calls.
    ///   - place: the list that the feedback has its runs for.
    init(_ error: any Error, of effect: EffectReference?, at place: SourceSpan?) {
        switch error {
        case let fault as RunFault: self = fault
        case let timeout as EffectTimeout:
            let name = effect.map { "`\($0.name)`" } ?? "the effect"
            self.init(
                Diagnostic(
                    .error, .timedOut, "\(name) did not end within \(timeout.limit.text)", at: effect?.span),
                code: DiagnosticCode.timedOut.failureCode)
        case let duplicate as DuplicateKey:
            self.init(
                Diagnostic(
                    .error, .duplicateKey, "two items have the same key: \(duplicate.key)", at: place),
                code: DiagnosticCode.duplicateKey.failureCode)
        default:
            self.init(
                Diagnostic(.error, .unexpectedFailure, "\(error)", at: place),
                code: DiagnosticCode.unexpectedFailure.failureCode)
        }
    }
}

extension RunFault: Equatable {
    static func == (left: RunFault, right: RunFault) -> Bool {
        left.content === right.content
            || (left.diagnostic == right.diagnostic && left.code == right.code && left.reason == right.reason)
    }
}

extension Duration {
    /// The duration in the notation of manifests: `1.5s`.
    fileprivate var text: String {
        let (seconds, attoseconds) = components
        return TimeText.duration(nanoseconds: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}

extension DiagnosticCode {
    /// R001: an effect reported its failure, by its answer or through `spin_fail`.
    static let effectFailed = DiagnosticCode("R001")
    /// R002: a failure without a code of its own.
    static let unexpectedFailure = DiagnosticCode("R002")
    /// R010: an effect did not end within its `timeout`.
    static let timedOut = DiagnosticCode("R010")
    /// R011: two items of one state have the same key.
    static let duplicateKey = DiagnosticCode("R011")
    /// R028: the mailbox had no room for an event of a callback.
    static let callbackUnheard = DiagnosticCode("R028")
    /// R030: a step would set a field to a value outside its `range`.
    static let outOfRange = DiagnosticCode("R030")

    /// `error.code` of a failure that the host found: R010 is -1010.
    fileprivate var failureCode: Int64 { -1000 - (Int64(rawValue.dropFirst()) ?? 0) }
}
