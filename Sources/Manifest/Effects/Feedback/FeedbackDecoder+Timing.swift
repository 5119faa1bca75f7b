import Diagnostics
import Expressions
import Interfaces
import Records

extension FeedbackDecoder {
    /// Decodes `debounce`, `delay`, `timeout` and `retry`.
    func decodeTiming() -> FeedbackTiming {
        func time(_ key: String) -> Duration? { manifest.constantDuration(table, key) }
        return FeedbackTiming(
            debounce: time("debounce"), delay: time("delay"), timeout: time("timeout"),
            retry: decodeRetry())
    }

    private func decodeRetry() -> FeedbackTiming.Retry {
        guard table.value("retry")?.kind == .table, let retry = table.table("retry", .retry) else {
            return FeedbackTiming.Retry(times: table.integer("retry", in: 0...Self.mostRetries) ?? 0)
        }
        retry.missing("times")
        let delay = manifest.constantDuration(retry, "delay") ?? .zero
        let given = manifest.constantDuration(retry, "longest")
        if let given, given < delay, let span = retry.value("longest")?.span {
            collector.error(
                .outOfRange, "`longest` is shorter than `delay`", at: span,
                help: ["it limits the wait, which begins with `delay` and grows"])
        }
        return FeedbackTiming.Retry(
            times: retry.integer("times", in: 0...Self.mostRetries) ?? 0, delay: delay,
            longest: max(given ?? Self.longestWait, delay))
    }

    private static let mostRetries = 1_000_000
    private static let longestWait = Duration.seconds(60)

    /// Reports a `timeout` that could never end a call: the loop cannot look at a clock while it executes the
    /// call.
    func checkTimeout(_ effect: ManifestDecoder.Effect, _ executor: FeedbackExecutor) {
        guard executor == .loop, !effect.sharesInstance, !effect.function.isEmitting, !effect.isInWorker,
            table.value("timeout") != nil,
            let span = table.span(of: "timeout")
        else { return }
        collector.error(
            .conflictingKeys, "`timeout` cannot end `\(effect.name)`, which runs within a step of the loop",
            at: span,
            help: [
                effect.function.takesInstance
                    ? "give its plugin `instance = \"app\"`: then the host calls it on a serial queue"
                    : "choose another executor: `executor = \"pool\"`, or `\"queue\"` for one call at a time"
            ])
    }

    /// Reports an effect that takes an instance although its plugin has none, and an `executor` for an effect
    /// whose instance decides where it is called.
    func checkInstance(_ effect: ManifestDecoder.Effect) {
        guard effect.function.takesInstance, let span = table.value("effect")?.span else { return }
        guard effect.plugin?.description?.instance != nil else {
            collector.error(
                .needsInstance, "`\(effect.name)` takes `spin_self *`, but its plugin has no instances",
                at: span,
                help: ["a plugin in C declares them with `SPIN_INSTANCE`"])
            return
        }
        guard let node = table.value("executor"), let word = node.string,
            effect.sharesInstance || word != FeedbackExecutor.loop.rawValue
        else { return }
        conflict(
            effect.sharesInstance
                ? "`\(effect.name)` is called on the serial queue of its instance, so `executor` cannot be `\(word)`"
                : "`\(effect.name)` is called on the executor of its loop, so `executor` cannot be `\(word)`",
            at: node.span, with: "effect",
            help: effect.sharesInstance
                ? "remove `executor`: the queue comes from `instance = \"app\"`"
                : "remove it, or give the plugin `instance = \"app\"`, which has a serial queue")
    }

    /// Reports the keys that need an effect, for a feedback without one.
    func checkKeysOfEffects() {
        for key in [
            "args", "executor", "fails-if", "emit", "emits", "timeout", "retry", "durable", "recover",
        ] {
            guard let span = table.span(of: key) else { continue }
            conflict(
                "`\(key)` needs an `effect`", at: span, with: "send",
                help: "add `effect`, or remove the key: without an effect, the feedback only sends messages")
        }
    }
}

extension ManifestDecoder {
    /// A constant duration longer than zero: a string such as `5s`, or an expression over `config`. Nil if
    /// the key is absent, and after a report.
    func constantDuration(_ table: TableReader, _ key: String) -> Duration? {
        table.value(key).flatMap { constantDuration($0, key) }
    }

    /// The constant duration that a value of a key gives. Nil after a report.
    func constantDuration(_ node: TOMLNode, _ key: String) -> Duration? {
        guard let text = expressionText(node, as: .duration) else { return nil }
        let scope = ExpressionScope(config: config.type)
        let config = config
        let values = compile(text, in: scope) { expression throws(TextFault) -> Int64 in
            _ = try expression.store(as: .duration)
            guard case .duration(let nanoseconds) = try LoopDecoder.value(of: expression, config) else {
                throw TextFault(.nullOperand, "this is null", at: 0..<text.text.text.utf8.count)
            }
            return nanoseconds
        }
        guard let nanoseconds = values?.first else { return nil }
        guard nanoseconds > 0 else {
            collector.error(
                .notPositive, "`\(key)` must be longer than zero", at: node.span,
                help: ["remove it, or write a duration such as `5s`"])
            return nil
        }
        return .nanoseconds(nanoseconds)
    }
}
