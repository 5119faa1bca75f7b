import Diagnostics
import Expressions
import Manifest
import PluginHost
import Records

/// What went wrong in a step or a run of an effect, ready to be shown.
struct RunFault: Error, Sendable {
    let diagnostic: Diagnostic

    /// An expression without a value; the fault points at the part that failed.
    init(_ fault: EvaluationFault, in text: SourceText) {
        diagnostic = Diagnostic(.error, fault.code, fault.message, at: text.span(of: fault.range))
    }

    /// A new state with a value that its field may not have.
    init(_ value: Value, outside range: RangeModel, at span: SourceSpan) {
        diagnostic = Diagnostic(
            .error, .outOfRange,
            "`\(range.field.name)` would be `\(RangeModel.text(of: value))`, which is out of its range",
            at: span, label: "the range is \(range.text)")
    }

    /// A call that went wrong on its way in or out.
    init(_ error: PluginError, of effect: EffectReference) {
        diagnostic = Diagnostic(.error, error.code, error.message, at: effect.span, help: error.help)
    }

    /// A native reducer that failed, or left a state that is none.
    init(_ error: PluginError, of reducer: ReducerReference) {
        diagnostic = Diagnostic(.error, error.code, error.message, at: reducer.span, help: error.help)
    }

    /// An effect that emitted something that no event can be made of.
    init(emissionOf effect: EffectReference, emitter: String?, _ reason: String) {
        let what = emitter.map { "emitted a `\($0)` that is not what the emitter declares" }
        diagnostic = Diagnostic(
            .error, .badEmission, "`\(effect.name)` \(what ?? "emitted in vain"): \(reason)", at: effect.span)
    }

    /// An effect that says itself that it failed.
    init(failureOf effect: EffectReference, _ what: String) {
        diagnostic = Diagnostic(.error, .effectFailed, "`\(effect.name)` failed: \(what)", at: effect.span)
    }
}

extension DiagnosticCode {
    /// An effect answered, or said through `spin_fail`, that it failed.
    static let effectFailed = DiagnosticCode("R001")
    /// A step would have given a field a value outside of its `range`.
    static let outOfRange = DiagnosticCode("R030")
    /// Something failed that says no more than its own description.
    static let unexpectedFailure = DiagnosticCode("R002")
}
