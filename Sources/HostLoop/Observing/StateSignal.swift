import Observation

/// What Swift's observation sees of a state that lies elsewhere.
package final class StateSignal: Observable, Sendable {
    private let registrar = ObservationRegistrar()

    package init() {}

    /// Stands for the state in key paths.
    private var mark: Void { () }

    /// The state is read.
    package func access() {
        registrar.access(self, keyPath: \.mark)
    }

    /// The state is a new one, and visible.
    package func change() {
        registrar.withMutation(of: self, keyPath: \.mark) {}
    }
}
