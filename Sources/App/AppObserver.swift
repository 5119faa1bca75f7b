public import Records

/// Sees what a running app does. Every method has a default that does nothing.
///
/// Each loop calls from its own executor: one call at a time per loop, several loops at once. A method must not wait.
public protocol AppObserver: AnyObject, Sendable {
    /// A loop has begun with its initial state.
    func started(loop: String, state: Record)
    /// A loop made a step, its feedbacks did not run yet.
    func stepped(_ step: AppStep)
    /// Something failed.
    func faulted(_ fault: AppFault)
}

extension AppObserver {
    /// Does nothing.
    public func started(loop: String, state: Record) {}
    /// Does nothing.
    public func stepped(_ step: AppStep) {}
    /// Does nothing.
    public func faulted(_ fault: AppFault) {}
}
