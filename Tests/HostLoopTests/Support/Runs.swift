import HostLoop

/// Pending runs that a test keeps, emits from and finishes when it wants.
final class Runs: Sendable {
    private let started = Box<[(input: Int, run: Run<Int>)]>([])

    var inputs: [Int] { started.value.map(\.input) }

    /// The run that was started as number `index`, from 0.
    subscript(index: Int) -> Run<Int> { started.value[index].run }

    func start(_ input: Int, _ run: Run<Int>) -> EffectStatus {
        started.change { $0.append((input, run)) }
        return .pending
    }

    func finishAll() {
        for (_, run) in started.value { run.finish() }
    }
}
