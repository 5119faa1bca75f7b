import Synchronization

/// Observes loops by key, each while it does something. May be used from any thread.
///
/// A loop gets its observer when a thread begins to drain it, and loses it once nothing can happen in it by itself. So a
/// watch costs the idle loops nothing, however many there are. A closed watch costs the others one look.
///
/// No thread may perform an event on the loops, and they must not run on `LoopExecutor.caller`: what such a thread does
/// is not observed.
@usableFromInline
package final class KeyedWatch<Key: Hashable & Sendable, State: Sendable, Event: Sendable>: Sendable {
    private let opening = Atomic<Bool>(false)
    let observer: @Sendable (Key, UInt64) -> any LoopObserver<State, Event>

    /// - Parameter observer: makes the observer of a loop, by its key and its number among the loops of all keys, on the
    ///   thread that drains the loop. It must see steps.
    package init(_ observer: @escaping @Sendable (Key, UInt64) -> any LoopObserver<State, Event>) {
        self.observer = observer
    }

    /// Whether loops get observers from now on. When it becomes false, a loop loses its observer the next time that a
    /// thread begins to drain it.
    package var isOpen: Bool {
        get { opening.load(ordering: .relaxed) }
        set { opening.store(newValue, ordering: .relaxed) }
    }
}
