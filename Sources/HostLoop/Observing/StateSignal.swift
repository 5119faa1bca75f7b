import Observation

/// What Swift's observation sees of a state that lies elsewhere.
final class StateSignal: Observable, Sendable {
    private let registrar = ObservationRegistrar()

    /// Stands for the state in key paths.
    private var mark: Void { () }

    /// The state is read.
    func access() {
        registrar.access(self, keyPath: \.mark)
    }

    /// The state is a new one, and visible.
    func change() {
        registrar.withMutation(of: self, keyPath: \.mark) {}
    }
}
