import HostLoop

/// A timer of an operator or a source, which ends with its scope.
final class FlowTimer: Sendable {
    private struct Plan: Sendable {
        /// Distinguishes the current setting of the timer from earlier settings.
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

    /// Calls `action` on the clock's thread, not before `instant`. Replaces an earlier setting.
    func set(at instant: LoopInstant, _ action: @escaping @Sendable () -> Void) {
        guard let setting = change({ _ in }) else { return }
        let cancellation = clock.schedule(at: instant) {
            if self.claim(setting) { action() }
        }
        let isWanted = plan.withLock { plan in
            guard plan.setting == setting, !plan.isOver else { return false }
            plan.cancellation = cancellation
            return true
        }
        if !isWanted { cancellation.cancel() }
    }

    private func claim(_ setting: UInt64) -> Bool {
        let (isWanted, cancellation) = plan.withLock { plan -> (Bool, Cancellation?) in
            guard plan.setting == setting, !plan.isOver else { return (false, nil) }
            plan.setting += 1
            defer { plan.cancellation = nil }
            return (true, plan.cancellation)
        }
        withExtendedLifetime(cancellation) {}
        return isWanted
    }

    /// Cancels the current setting.
    func clear() {
        change { _ in }
    }

    /// Cancels the current setting and changes the plan.
    /// - Returns: the number of the new setting; nil if the scope has ended.
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
