import HostLoop
import Synchronization

/// The lifetime of one subscription, which ends when it is cancelled or has completed.
///
/// An operator that continues after its source has completed, or subscribes more than once, gives each source
/// a child scope. Other operators share the scope of their output.
final class FlowScope: Sendable {
    private struct State: Sendable {
        var issued: UInt64 = 0
        var handlers: [UInt64: @Sendable () -> Void] = [:]
        var isCancelled = false
        var parent: (scope: FlowScope, ticket: UInt64)?
    }

    let life: FlowLife
    private let state = Lock(State())
    private let cancelled = Atomic<Bool>(false)

    init(life: FlowLife) {
        self.life = life
    }

    var clock: any LoopClock { life.clock }
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// Calls `handler` once when the scope is cancelled, on the thread that cancels it. If the scope is
    /// cancelled already, calls it at once.
    /// - Returns: the handler's ticket, with which `forget` removes it; nil if the handler was called.
    @discardableResult
    func onCancel(_ handler: @escaping @Sendable () -> Void) -> UInt64? {
        let ticket = state.withLock { state -> UInt64? in
            guard !state.isCancelled else { return nil }
            state.issued += 1
            state.handlers[state.issued] = handler
            return state.issued
        }
        if ticket == nil { handler() }
        return ticket
    }

    /// Cancels the scope and calls its handlers in the order in which they were added. Child scopes are
    /// cancelled too. Repeating it does nothing.
    func cancel() {
        let (handlers, parent) = state.withLock { state in
            state.isCancelled = true
            cancelled.store(true, ordering: .releasing)
            defer { (state.handlers, state.parent) = ([:], nil) }
            return (state.handlers, state.parent)
        }
        if let parent { parent.scope.forget(parent.ticket) }
        for (_, handler) in handlers.sorted(by: { $0.key < $1.key }) { handler() }
    }

    /// Makes a child scope, which is cancelled with this scope or alone.
    func makeChild() -> FlowScope {
        let child = FlowScope(life: life)
        guard let ticket = onCancel({ child.cancel() }) else { return child }
        let isLate = child.state.withLock { state in
            if !state.isCancelled { state.parent = (self, ticket) }
            return state.isCancelled
        }
        if isLate { forget(ticket) }
        return child
    }

    private func forget(_ ticket: UInt64) {
        let handler = state.withLock { $0.handlers.removeValue(forKey: ticket) }
        withExtendedLifetime(handler) {}
    }
}
