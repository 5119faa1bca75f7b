import Observation

/// A proxy through which Swift's `Observation` tracks a state that is stored elsewhere.
package final class StateSignal: Observable, Sendable {
    private let registrar = ObservationRegistrar()

    package init() {}

    /// A placeholder for the state in key paths.
    private var mark: Void { () }

    /// Records a read of the state.
    package func access() {
        registrar.access(self, keyPath: \.mark)
    }

    /// Announces a new state, which must be visible already.
    package func change() {
        registrar.withMutation(of: self, keyPath: \.mark) {}
    }
}
