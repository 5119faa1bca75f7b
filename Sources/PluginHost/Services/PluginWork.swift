import CLinux
import Glibc
import HostLoop

/// The functions of a plugin that the host calls outside of any loop: those that the plugin submitted, and
/// those of its timers.
///
/// Each plugin has threads of its own for the functions that it submitted. So functions that wait hold up
/// those of no other plugin, and what they leave on their thread, such as a signal mask, reaches no other
/// plugin.
final class PluginWork: Sendable {
    /// How many functions that the plugin submitted run at once. The others wait, in order of submission.
    static let threadLimit = 64

    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
        /// Functions that wait for a thread.
        var queued = FIFO<@Sendable () -> Void>()
        var threads = 0
    }

    private let state = Lock(State())
    private let threadName: String

    /// - Parameter plugin: its name, which tools show with its threads.
    init(of plugin: String) { threadName = "work of \(plugin)" }

    /// How many functions run, or are about to.
    var running: Int { state.withLock { $0.running } }

    /// A function is about to run.
    func begin() { state.withLock { $0.running += 1 } }

    /// A function has returned.
    func end() {
        let idle = state.withLock { state in
            state.running -= 1
            guard state.running == 0 else { return [@Sendable () -> Void]() }
            defer { state.waiting = [] }
            return state.waiting
        }
        for body in idle { body() }
    }

    /// Calls `body` once, as soon as no function runs: at once if none does, or else on the thread of the
    /// last one.
    func whenIdle(_ body: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            if state.running > 0 { state.waiting.append(body) }
            return state.running == 0
        }
        if isIdle { body() }
    }

    /// Calls `function` on a thread of the plugin: at once on a new one, or when one is free if there are as
    /// many as may be. False when the system has no thread.
    func submit(_ function: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if state.threads == Self.threadLimit {
                state.queued.append(function)
            } else {
                // Within the lock, so that functions are queued only while there are threads.
                guard HostThread.start({ [self] in call(function) }) else { return false }
                state.threads += 1
            }
            state.running += 1
            return true
        }
    }

    /// Calls functions until none waits.
    private func call(_ first: @escaping @Sendable () -> Void) {
        // Safe because the text is borrowed for the call.
        unsafe linux_name_thread(threadName)
        var mask = sigset_t()
        // Safe because the mask is a local, which the calls read and write.
        unsafe pthread_sigmask(SIG_SETMASK, nil, &mask)
        var next = Optional(first)
        while let function = next {
            function()
            // A function may have left another one, and the guard needs the signals of crashes.
            unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
            end()
            next = state.withLock { state in
                let next = state.queued.popFirst()
                if next == nil { state.threads -= 1 }
                return next
            }
        }
    }
}

extension PluginImage {
    /// Calls a function of the plugin's on a thread that it may block; false when there is none.
    func submit(_ function: PluginCallback, as role: Callee.Role = .work) -> Bool {
        work.submit { [self] in
            if let failure = function.call(for: self, as: role) { log(failure) }
        }
    }

    /// How many functions of the plugin run, or are about to, on threads of the host outside of any loop.
    public var workCount: Int { work.running }

    /// Calls `body` once, as soon as the plugin has no work on threads of the host: at once if it has none,
    /// or else on the thread of the last work.
    public func whenIdle(_ body: @escaping @Sendable () -> Void) { work.whenIdle(body) }

    /// The sinks of the plugin's running calls.
    public var sinks: [any CallSink] {
        HostRegistry.shared.calls.withLock { state in
            state.calls.running(of: self).compactMap { token in
                if case .success(let call) = state.calls.find(token) { call.sink } else { nil }
            }
        }
    }
}
