import HostLoop
import Synchronization

/// The first calls of a version that has taken the place of another one: until so many have begun, a call that crashes, hangs or
/// brings a value that is none speaks against the version. May be used from any thread.
public final class Probation: Sendable {
    /// What is made of it.
    public enum Verdict: Hashable, Sendable {
        /// Enough calls have begun after others that went well.
        case passed
        /// A call did what none may, in words: `` effect `fetch` crashed with SIGSEGV at address 0x0 ``.
        case failed(String)
    }

    /// So many calls are on probation.
    public static let calls = 16

    private struct State {
        var verdict: Verdict?
        var tell: (@Sendable (Verdict) -> Void)?
    }

    private let begun = Atomic<Int>(0)
    private let state = Lock(State())

    /// A probation that nobody judges yet.
    public init() {}

    /// Has `tell` called with the verdict, once, by whoever finds it: it must not wait.
    public func judge(_ tell: @escaping @Sendable (Verdict) -> Void) {
        let verdict = state.withLock { state in
            if state.verdict == nil { state.tell = tell }
            return state.verdict
        }
        if let verdict { tell(verdict) }
    }

    /// Nobody is told any more.
    public func end() {
        let tell = state.withLock { state in
            state.verdict = state.verdict ?? .passed
            defer { state.tell = nil }
            return state.tell
        }
        withExtendedLifetime(tell) {}
    }

    /// Another call begins.
    func begin() {
        if begun.add(1, ordering: .relaxed).newValue == Self.calls + 1 { conclude(.passed) }
    }

    /// It is over, whatever has begun.
    public func pass() { conclude(.passed) }

    /// A call did what none may.
    public func fail(_ reason: String) { conclude(.failed(reason)) }

    private func conclude(_ verdict: Verdict) {
        let tell = state.withLock { state -> (@Sendable (Verdict) -> Void)? in
            guard state.verdict == nil else { return nil }
            state.verdict = verdict
            defer { state.tell = nil }
            return state.tell
        }
        tell?(verdict)
    }
}
