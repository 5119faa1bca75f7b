import HostLoop

/// How much of a plugin runs on threads of the host outside of any loop: what it submitted, and functions of its timers.
final class PluginWork: Sendable {
    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Lock(State())

    /// How many run, or are about to.
    var running: Int { state.withLock { $0.running } }

    /// One more is about to run.
    func begin() { state.withLock { $0.running += 1 } }

    /// One has returned.
    func end() {
        let idle = state.withLock { state in
            state.running -= 1
            guard state.running == 0 else { return [@Sendable () -> Void]() }
            defer { state.waiting = [] }
            return state.waiting
        }
        for body in idle { body() }
    }

    /// Calls `body` once as soon as nothing runs, at once if that is now; on the thread that ended it.
    func whenIdle(_ body: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            if state.running > 0 { state.waiting.append(body) }
            return state.running == 0
        }
        if isIdle { body() }
    }
}

extension PluginImage {
    /// Calls a function of the plugin's on a thread of its own; false when there is none.
    func submit(_ function: PluginCallback) -> Bool {
        work.begin()
        let hasBegun = HostThread.start { [self] in
            if let failure = function.call(for: self, as: .work) {
                log(failure, of: "a function given to `spin_work`", call: nil)
            }
            work.end()
        }
        if !hasBegun { work.end() }
        return hasBegun
    }

    /// How many functions of the plugin run, or are about to, on threads of the host outside of any loop.
    public var workCount: Int { work.running }

    /// Calls `body` once as soon as no function of the plugin runs on threads of the host outside of a loop; at once if that is
    /// now.
    public func whenIdle(_ body: @escaping @Sendable () -> Void) { work.whenIdle(body) }

    /// Where the calls of its effects go that are not over.
    public var sinks: [any CallSink] {
        HostRegistry.shared.calls.withLock { state in
            state.calls.running(of: self).compactMap { token in
                if case .success(let call) = state.calls.find(token) { call.sink } else { nil }
            }
        }
    }
}
