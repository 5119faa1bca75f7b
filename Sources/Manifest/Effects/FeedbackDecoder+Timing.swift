import Diagnostics
import Expressions
import Interfaces
import Records

extension FeedbackDecoder {
    /// `debounce`, `delay`, `timeout` and `retry`.
    func decodeTiming() -> FeedbackTiming {
        func time(_ key: String) -> Duration? { manifest.constantDuration(table, key) }
        return FeedbackTiming(
            debounce: time("debounce"), delay: time("delay"), timeout: time("timeout"),
            retry: table.integer("retry", in: 0...Self.mostRetries) ?? 0)
    }

    private static let mostRetries = 1_000_000

    /// Reports a limit that nobody could keep: a call on the loop's executor has returned before anybody can look.
    func checkTimeout(_ effect: ManifestDecoder.Effect, _ executor: FeedbackExecutor) {
        guard executor == .loop, !effect.sharesInstance, !effect.function.isEmitting,
            table.value("timeout") != nil,
            let span = table.span(of: "timeout")
        else { return }
        collector.error(
            .conflictingKeys, "`timeout` cannot end `\(effect.name)`, which runs within a step of the loop",
            at: span,
            help: [
                effect.function.takesInstance
                    ? "give its plugin `instance = \"app\"`: it is called on a serial queue then"
                    : "call it elsewhere: `executor = \"pool\"`, or `\"queue\"` for one call at a time"
            ])
    }

    /// Reports an effect that takes an instance of a plugin without, and an executor for one that is called where its
    /// instance is.
    func checkInstance(_ effect: ManifestDecoder.Effect) {
        guard effect.function.takesInstance, let place = table.value("effect")?.span else { return }
        guard effect.plugin?.description?.instance != nil else {
            collector.error(
                .needsInstance, "`\(effect.name)` takes `spin_self *`, and its plugin has no instances",
                at: place,
                help: ["a plugin in C declares them with `SPIN_INSTANCE`"])
            return
        }
        guard let node = table.value("executor"), let word = node.string,
            effect.sharesInstance || word != FeedbackExecutor.loop.rawValue
        else { return }
        conflict(
            "`\(effect.name)` is called where its plugin's instance is, and `executor` cannot be `\(word)`",
            at: node.span, with: "effect",
            help: effect.sharesInstance
                ? "it has a serial queue, as `instance = \"app\"` says: leave `executor` out"
                : "leave it out, or give the plugin `instance = \"app\"`: a serial queue of its own")
    }

    /// Reports the keys that are about an effect, for a feedback without one.
    func checkKeysOfEffects() {
        for key in ["args", "executor", "fails-if", "emit", "emits", "timeout", "retry"] {
            guard let span = table.span(of: key) else { continue }
            conflict(
                "`\(key)` needs an `effect`", at: span, with: "send",
                help: "without one, `send` alone happens")
        }
    }
}

extension ManifestDecoder {
    /// A duration that is known before the app runs and longer than zero: a text such as `5s`, or an expression over
    /// `config`. Nil when the key is not there, or at fault.
    func constantDuration(_ table: TableReader, _ key: String) -> Duration? {
        guard let node = table.value(key), let text = expressionText(node, as: .duration) else { return nil }
        let scope = ExpressionScope(config: config.type)
        let config = config.value
        let values = compile(text, in: scope) { expression throws(TextFault) -> Int64 in
            _ = try expression.store(as: .duration)
            return try expression.nanoseconds(config: config)
        }
        guard let nanoseconds = values?.first else { return nil }
        guard nanoseconds > 0 else {
            collector.error(
                .notPositive, "`\(key)` must be longer than zero", at: node.span,
                help: ["leave it out for none"])
            return nil
        }
        return .nanoseconds(nanoseconds)
    }
}

extension Expression {
    /// The value of a constant expression that is a duration.
    fileprivate func nanoseconds(config: Value) throws(TextFault) -> Int64 {
        // Types were checked before; records would need memory that only running loops have.
        let untyped = try Expression(text, in: Scope(untyped: ["config"]))
        do {
            if case .duration(let nanoseconds) = try untyped.evaluate(with: [config]) { return nanoseconds }
        } catch { throw error.textFault }
        throw TextFault(.nullOperand, "this is null", at: 0..<text.utf8.count)
    }
}
