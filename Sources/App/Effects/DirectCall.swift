import PluginHost
import Records

/// The calls of a variant whose feedback is called directly: the memory of the next one, with its arguments.
///
/// Used on the loop's executor only.
@safe
final class DirectCall {
    // Safe because one thread at a time uses it.
    @safe @exclusivity(unchecked) private var arguments: ArgumentTable {
        didSet { unsafe borrowed = .passUnretained(arguments) }
    }
    // The same, without a counted reference for each use.
    // Safe because this object keeps it, and exchanges it only between uses.
    @safe @exclusivity(unchecked) private var borrowed: Unmanaged<ArgumentTable>
    /// Where the arguments go that runs have used.
    // Safe because one thread at a time exchanges it.
    @safe @exclusivity(unchecked) private(set) var spares = ArgumentPool()

    init(_ arguments: ArgumentTable) {
        self.arguments = arguments
        unsafe borrowed = .passUnretained(arguments)
    }

    /// The source of the next call.
    var source: EffectSource { arguments.source }

    /// The last arguments, a record of `CallSignature.inputs`.
    var values: Record { arguments.values }

    /// The failure that the outcome of the last call is, by the manifest's test.
    var failure: RunFault { RunFault(outcome: arguments.call.outcomeValue, of: source.effect) }

    /// Calls the effect of another version of its plugin from now on, and keeps the last arguments.
    func use(_ source: EffectSource) {
        arguments = arguments.copy(for: source)
        spares = ArgumentPool()
    }

    /// Takes the last arguments of another loop's calls.
    func takeValues(of other: DirectCall) { arguments.takeValues(of: other.arguments) }

    /// Evaluates the arguments; true when one differs from the last.
    @inline(__always)
    func update(_ frame: ExpressionFrame) throws(RunFault) -> Bool {
        unsafe try borrowed.borrow { arguments throws(RunFault) in try arguments.update(frame) }
    }

    /// Makes the call with the last arguments, and binds the outcome in the frame.
    @inline(__always)
    func invoke(_ frame: ExpressionFrame) throws(RunFault) {
        unsafe try borrowed.borrow { arguments throws(RunFault) in try arguments.invoke(frame) }
    }

    /// Lends the call and its arguments to a run that continues after the function has returned. The next call
    /// gets memory of its own.
    func lend() -> ArgumentTable {
        let lent = arguments
        if let spare = spares.take() {
            spare.takeValues(of: lent)
            arguments = spare
        } else {
            arguments = lent.copy(for: lent.source)
        }
        return lent
    }
}
