import CPluginABI
import HostLoop

/// Passes the emissions of an instance's own call on to the call that listens to the instance. May be used
/// from any thread.
final class InstanceRelay: CallSink {
    private enum Outcome {
        case finished
        case failed(code: Int32, text: String)
    }

    private struct State {
        /// The instance's own call; nil until `start` asks for it.
        var own: CallToken?
        /// The call that listens.
        var listener: CallToken?
        /// How the plugin ended the call, for each later listener.
        var outcome: Outcome?
        /// The function that waits for a listener: a call has one at a time.
        var waiting: (@Sendable () -> Void)?
        /// Tells that function from later ones.
        var waits: UInt64 = 0
    }

    private let state = Lock(State())
    private let services: HostServices
    private weak let image: PluginImage?

    init(of image: PluginImage) {
        services = image.services
        self.image = image
    }

    /// The instance's own call, which lasts until `end`; nil when too many calls run.
    func ownCall() -> CallToken? {
        state.withLock { state in
            guard state.own == nil, let image else { return state.own }
            state.own = try? services.begin(self, for: image, effect: "start")
            return state.own
        }
    }

    /// Cancels the instance's own call.
    func end() {
        let (own, waiting) = state.withLock { state in
            defer { (state.own, state.outcome) = (nil, nil) }
            return (state.own, state.waiting.take())
        }
        if let own { services.cancel(own) }
        waiting?()
    }

    /// Passes emissions on to this call from now on. It ends at once if the plugin has ended the instance's
    /// own call.
    ///
    /// - Returns: false when another running call listens.
    func listen(_ listener: CallToken) -> Bool {
        let found = state.withLock { state -> (waiting: (@Sendable () -> Void)?, outcome: Outcome?)? in
            if let other = state.listener, other != listener, services.isRunning(other) { return nil }
            state.listener = state.outcome == nil ? listener : nil
            return (state.waiting.take(), state.outcome)
        }
        guard let found else { return false }
        found.waiting?()
        if let outcome = found.outcome { end(listener, outcome) }
        return true
    }

    private func end(_ listener: CallToken, _ outcome: Outcome) {
        switch outcome {
        case .finished: services.finish(listener)
        case .failed(let code, let text): services.fail(listener, code: code, text: text)
        }
    }

    /// The call that listens now.
    private var listener: CallTable.Call? {
        guard let token = state.withLock({ $0.listener }),
            case .success(let call) = HostRegistry.shared.calls.withLock({ $0.calls.find(token) })
        else { return nil }
        return call
    }

    func emitted(emitter: String, payload: UnsafeRawPointer, wait: EmissionWait) -> Int32 {
        // Safe because the payload is borrowed for the call.
        unsafe listener?.sink.emitted(emitter: emitter, payload: payload, wait: wait) ?? SPIN_FULL
    }

    func rejected(emitter: String?, reason: String) {
        listener?.sink.rejected(emitter: emitter, reason: reason)
    }

    func whenRoom(_ body: @escaping @Sendable () -> Void) -> Cancellation? {
        while true {
            if let listener { return listener.sink.whenRoom(body) }
            let (isOver, number) = state.withLock { state -> (Bool, UInt64?) in
                guard state.own != nil else { return (true, nil) }
                // A listener that came meanwhile does not call a function that waits from now on.
                guard state.listener.map(services.isRunning) != true else { return (false, nil) }
                state.waiting = body
                state.waits += 1
                return (false, state.waits)
            }
            if isOver {
                body()
                return Cancellation {}
            }
            guard let number else { continue }
            return Cancellation { [self] in
                state.withLock { state in if state.waits == number { state.waiting = nil } }
            }
        }
    }

    func finished() { endListener(.finished) }

    func failed(code: Int32, text: String) { endListener(.failed(code: code, text: text)) }

    private func endListener(_ outcome: Outcome) {
        let listener = state.withLock { state in
            state.outcome = outcome
            return state.listener.take()
        }
        if let listener { end(listener, outcome) }
    }
}
