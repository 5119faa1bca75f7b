import HostLoop

/// The one timer of an operator or a source, which ends with its scope.
final class FlowTimer: Sendable {
    private struct Plan: Sendable {
        /// Tells what the timer is set to from what it was set to before.
        var setting: UInt64 = 0
        var cancellation: Cancellation?
        var isOver = false
    }

    private let clock: any LoopClock
    private let plan = Lock(Plan())

    init(_ scope: FlowScope) {
        clock = scope.clock
        scope.onCancel { self.change { $0.isOver = true } }
    }

    /// Calls `action` on the clock's thread, not before `instant`, in place of what it was set to before.
    func set(at instant: LoopInstant, _ action: @escaping @Sendable () -> Void) {
        guard let setting = change({ _ in }) else { return }
        let cancellation = clock.schedule(at: instant) {
            if self.begin(setting) { action() }
        }
        let isWanted = plan.withLock { plan in
            guard plan.setting == setting, !plan.isOver else { return false }
            plan.cancellation = cancellation
            return true
        }
        if !isWanted { cancellation.cancel() }
    }

    private func begin(_ setting: UInt64) -> Bool {
        let (isWanted, cancellation) = plan.withLock { plan -> (Bool, Cancellation?) in
            guard plan.setting == setting, !plan.isOver else { return (false, nil) }
            plan.setting += 1
            defer { plan.cancellation = nil }
            return (true, plan.cancellation)
        }
        withExtendedLifetime(cancellation) {}
        return isWanted
    }

    /// Takes back what it is set to.
    func clear() {
        change { _ in }
    }

    /// Takes back what it was set to; nil when the timer is over.
    @discardableResult
    private func change(_ body: @Sendable (inout Plan) -> Void) -> UInt64? {
        let (setting, cancellation) = plan.withLock { plan -> (UInt64?, Cancellation?) in
            plan.setting += 1
            body(&plan)
            defer { plan.cancellation = nil }
            return (plan.isOver ? nil : plan.setting, plan.cancellation)
        }
        cancellation?.cancel()
        return setting
    }
}
