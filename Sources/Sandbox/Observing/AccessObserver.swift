internal import CSandbox
import Glibc
import Synchronization

/// Tells what a sandboxed process tries, and counts its children. It lives in the host.
///
/// An observed call waits until the observer has answered; without a listening observer it waits for ever,
/// and the end of the host kills it. The kernel's rules decide about files and peers. So it does no harm when
/// other threads of the process change a path while it is read.
///
/// An observed call costs some 50 µs more: on two busy cores, an open(2) of 5 µs took 55 µs. All other calls
/// cost nothing more. Where the host may not read the memory of the process (`ptrace_scope` of Yama above 1),
/// calls with a path are not told.
public final class AccessObserver: Sendable {
    private let listener: Mutex<Int32?>
    private let wake: Int32
    private let process: Int32
    private let policy: SandboxPolicy
    private let onAccess: @Sendable (Access) -> Void

    /// - Parameters:
    ///   - listener: of `AppliedSandbox`, received from the process. The observer owns it.
    ///   - process: the process that has applied the policy, a child of this one.
    ///   - policy: the same policy. Its paths must still lead to the same files.
    ///   - onAccess: is called by the thread of `run`, before the call continues.
    /// - Throws: `failed`. The listener is then closed.
    public init(
        listener: Int32, of process: Int32, policy: SandboxPolicy,
        onAccess: @escaping @Sendable (Access) -> Void
    ) throws(SandboxError) {
        wake = eventfd(0, Int32(EFD_CLOEXEC))
        guard wake >= 0 else {
            let error = errno
            close(listener)
            throw .failed(call: "eventfd", error: error)
        }
        self.listener = Mutex(listener)
        (self.process, self.policy, self.onAccess) = (process, policy, onAccess)
    }

    deinit {
        close(wake)
        listener.withLock { if let listener = $0 { close(listener) } }
    }

    /// Answers calls until the process and its children have ended, or until `stop`. It blocks its thread,
    /// and must be called once at most.
    ///
    /// - Throws: `failed`. Calls that wait, and later ones, fail with ENOSYS then.
    public func run() throws(SandboxError) {
        guard let listener = listener.withLock({ $0 }) else { return }
        defer {
            self.listener.withLock { $0 = nil }
            close(listener)
        }
        sandbox_prepare_listener(listener)
        let filter = PlainFilter(policy, of: process, SandboxAbility.current)
        let paths = AllowedPaths(policy, of: process)
        var gate = ChildGate(group: process, limit: policy.processes)
        while true {
            var call = sandbox_notification()
            // Safe because `call` is a local.
            switch unsafe sandbox_receive(listener, wake, &call) {
            case 0: answer(call, on: listener, filter, paths, &gate)
            case ENOENT: continue
            case EPIPE, ECANCELED: return
            case let error: throw .failed(call: "ioctl", error: error)
            }
        }
    }

    /// Ends `run` soon, from any thread. Calls that wait, and later ones, fail with ENOSYS then, so the
    /// process must be ended, too.
    public func stop() { eventfd_write(wake, 1) }

    private func answer(
        _ call: sandbox_notification, on listener: Int32, _ filter: PlainFilter, _ paths: AllowedPaths,
        _ gate: inout ChildGate
    ) {
        let observed = ObservedCall(call, of: process, isProfile: policy.observation == .profile)
        let attempts = observed.attempts
        // Another thread could have got the number of one that has ended.
        guard sandbox_is_waiting(listener, call.id) else { return }
        var error: Int32 = 0
        let plain = filter.answer(to: call)
        if policy.observation != .profile {
            if case .fails(let number) = plain { error = number }
            if error == 0, observed.isChild, !gate.admit(call.thread) { error = EAGAIN }
        }
        if policy.observation != .off {
            for attempt in attempts {
                onAccess(
                    Access(
                        kind: attempt.kind, path: attempt.path, rulePath: attempt.rulePath,
                        isAllowed: error == 0 && plain == .allowed && isAllowed(attempt, paths)))
            }
        }
        // A call that was given up needs no answer.
        _ = sandbox_answer(listener, call.id, error)
    }

    private func isAllowed(_ attempt: ObservedCall.Attempt, _ paths: AllowedPaths) -> Bool {
        switch attempt.kind {
        case .read, .write, .execute: paths.allow(attempt.kind, attempt.rulePath)
        case .connect:
            SandboxPolicy.Peer(attempt.path).map { policy.connect.contains($0) } ?? isLocal(attempt.path)
        case .listen:
            SandboxPolicy.port(attempt.path).map { policy.listen.contains($0) }
                ?? (policy.connect.contains(.unix) && attempt.path.hasPrefix("unix:@"))
        case .child, .call: true
        }
    }

    private func isLocal(_ address: String) -> Bool {
        // Abstract sockets are those of other programs, which Landlock keeps apart.
        policy.connect.contains(.unix) && address.hasPrefix("unix:") && !address.hasPrefix("unix:@")
    }
}
