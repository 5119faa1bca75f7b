public import HostLoop
import Synchronization

/// The first calls of a version that has replaced another one.
///
/// A call that crashes, hangs or brings an invalid value speaks against the version. The probation ends when
/// the first sixteen calls have returned, or when no call has begun for some minutes after the first one. May
/// be used from any thread.
public final class Probation: Sendable {
    /// The result of a probation.
    public enum Verdict: Hashable, Sendable {
        /// The calls went well.
        case passed
        /// A call failed in a way that no call may, in words: `` effect `fetch` crashed with SIGSEGV at
        /// address 0x0 ``.
        case failed(String)
    }

    /// The number of calls on probation.
    public static let calls = 16

    /// A version passes when no call of it has begun for so long, unless none has begun at all. A call that
    /// hangs is found out within seconds.
    public static let quietTime: Duration = .seconds(300)

    private struct State {
        var verdict: Verdict?
        var report: (@Sendable (Verdict) -> Void)?
        /// The next look at whether the version is quiet.
        var look: Cancellation?
    }

    private let begun = Atomic<Int>(0)
    private let returned = Atomic<Int>(0)
    private let state = Lock(State())

    /// A probation without a judge.
    public init() {}

    /// Calls `report` once with the verdict, on the thread that reaches it. `report` must not wait.
    ///
    /// - Parameter clock: decides when the version has been quiet for long enough.
    public func judge(by clock: any LoopClock, _ report: @escaping @Sendable (Verdict) -> Void) {
        let verdict = state.withLock { state in
            if state.verdict == nil { state.report = report }
            return state.verdict
        }
        if let verdict { return report(verdict) }
        look(clock, begunBefore: 0)
    }

    /// Passes the version if no call has begun since `begunBefore` were counted; otherwise looks again later.
    private func look(_ clock: any LoopClock, begunBefore: Int) {
        let next = clock.schedule(at: clock.now.advanced(by: Self.quietTime)) { [weak self] in
            guard let self else { return }
            let begun = begun.load(ordering: .relaxed)
            if begun > 0, begun == begunBefore { return conclude(.passed) }
            look(clock, begunBefore: begun)
        }
        let isOver = state.withLock { state in
            state.look = next
            return state.verdict != nil
        }
        if isOver { next.cancel() }
    }

    /// Ends the probation without a report.
    public func end() {
        let before = state.withLock { state in
            state.verdict = state.verdict ?? .passed
            defer { state.report = nil }
            return state
        }
        before.look?.cancel()
    }

    /// Another call begins. Returns whether it is on probation: then `hasReturned` must follow.
    func begin() -> Bool { begun.add(1, ordering: .relaxed).newValue <= Self.calls }

    /// A call on probation has returned, and `fail` was called if it has failed.
    func hasReturned() {
        if returned.add(1, ordering: .acquiringAndReleasing).newValue == Self.calls { conclude(.passed) }
    }

    /// Ends the probation as passed, however many calls have begun.
    public func pass() { conclude(.passed) }

    /// A call failed in a way that no call may.
    public func fail(_ reason: String) { conclude(.failed(reason)) }

    private func conclude(_ verdict: Verdict) {
        let before = state.withLock { state -> State? in
            guard state.verdict == nil else { return nil }
            state.verdict = verdict
            defer { state.report = nil }
            return state
        }
        before?.look?.cancel()
        before?.report?(verdict)
    }
}

/// The probation of a version, while it is on probation. May be used from any thread.
public final class ProbationPlace: Sendable {
    private let place = Lock<Probation?>(nil)

    /// Nil when the version is not on probation.
    public var probation: Probation? {
        get { place.withLock { $0 } }
        set { place.exchange(newValue) }
    }

    /// Fails the probation, if there is one.
    public func fail(_ reason: String) { probation?.fail(reason) }
}
