/// An observer that prints what each event changes: `spin.start(observers: [ChangePrinter("cart")])`.
///
/// ```text
/// cart begins with Cart(items: 0)
/// cart 1: .add
///   - items: 0
///   + items: 1
/// cart 2: .priced(3) from run 1 of `price`
///   nothing changed
/// cart: .remove is not handled
/// ```
///
/// `StateDifference` makes the lines, which costs microseconds to milliseconds for each step. An observer sees
/// one call at a time, so the lines of two steps never mix.
public final class ChangePrinter<State: Sendable, Event: Sendable>: LoopObserver {
    private let name: String
    private let output: @Sendable (String) -> Void

    /// - Parameters:
    ///   - name: The name of the loop, at the begin of each entry.
    ///   - output: Called with each entry, of one or more lines, without a line end. By default it prints.
    public init(_ name: String = "loop", output: @escaping @Sendable (String) -> Void = { print($0) }) {
        self.name = name
        self.output = output
    }

    /// Prints the initial state.
    public func started(_ state: State) {
        output("\(name) begins with \(ValueText.of(state))")
    }

    /// Prints the event and the parts of the state that it changed.
    public func stepped(_ step: LoopStep<State, Event>) {
        let lines = StateDifference(step.before, step.after).lines
        let changes = lines.isEmpty ? ["nothing changed"] : lines
        let title = "\(name) \(step.index): \(ValueText.of(step.event))\(step.origin.text)"
        output(([title] + changes.map { "  \($0)" }).joined(separator: "\n"))
    }

    /// Prints the event.
    public func unhandled(_ event: Event, from origin: EventOrigin) {
        output("\(name): \(ValueText.of(event))\(origin.text) is not handled")
    }

    /// Prints the failure.
    public func faulted(_ fault: LoopFault) {
        output("\(name): \(fault.source.text) failed: \(ValueText.of(fault.error))")
    }

    /// Prints the reason.
    public func stopped(_ reason: StopReason) {
        output("\(name) has stopped: \(reason)")
    }
}

extension EffectRun {
    /// For example "run 2 of `load`".
    package var text: String {
        "run \(number) of " + (feedback.isEmpty ? "feedback \(index)" : "`\(feedback)`")
    }
}

extension EventOrigin {
    /// The run, for example " from run 2 of `load`"; empty for events from elsewhere.
    package var text: String { run.map { " from \($0.text)" } ?? "" }
}

extension LoopFault.Source {
    /// For example "run 2 of `load`".
    package var text: String {
        if let run { return run.text }
        if let feedback { return "the trigger of `\(feedback)`" }
        return self == .reducer ? "the reducer" : "`until`"
    }
}
