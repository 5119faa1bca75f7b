import HostLoop

/// The sink of `throttle`: a window is open while the timer is set, and one of its values waits for the end.
// Safe because it adds immutable properties and a lock only.
final class FlowThrottle<Value: Sendable>: FlowStage<Value, Value>, @unchecked Sendable {
    private struct Window: Sendable {
        var isOpen = false
        var waiting: Value?
    }

    private let duration: Duration
    private let latest: Bool
    private let outlet: FlowOutlet<Value>
    private let timer: FlowTimer
    private let window = Lock(Window())

    init(_ output: FlowSink<Value>, for duration: Duration, latest: Bool) {
        self.duration = duration
        self.latest = latest
        outlet = FlowOutlet(output)
        timer = FlowTimer(output.scope)
        super.init(output)
    }

    override func receive(_ value: Value) -> EmitResult {
        guard !isCancelled else { return .cancelled }
        let latest = latest
        let (emits, older) = window.withLock { window -> (Bool, Value?) in
            guard window.isOpen else {
                window.isOpen = true
                return (true, nil)
            }
            guard latest || window.waiting == nil else { return (false, nil) }
            defer { window.waiting = value }
            return (false, window.waiting)
        }
        withExtendedLifetime(older) {}
        guard emits else { return .queued }
        openWindow()
        return outlet.emit(value)
    }

    override func complete(_ error: (any Error)?) {
        timer.clear()
        outlet.emit {
            let value = self.window.exchange(Window(isOpen: true)).waiting
            return error == nil ? value : nil
        }
        outlet.end(error)
    }

    private func openWindow() {
        timer.set(at: clock.now.advanced(by: duration)) { self.outlet.emit { self.closeWindow() } }
    }

    /// Returns the value that has waited, if any. If there is one, opens the next window.
    private func closeWindow() -> Value? {
        let value = window.withLock { window -> Value? in
            window.isOpen = window.waiting != nil
            defer { window.waiting = nil }
            return window.waiting
        }
        if value != nil { openWindow() }
        return value
    }
}
