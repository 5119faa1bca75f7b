import HostLoop

/// What became of the versions of plugins that a host does not use any more. May be used from any thread.
public final class RetiredImages: Sendable {
    /// How many images are in which state.
    public struct Counts: Hashable, Sendable {
        /// Something may still call them: calls that run, effects that emit later, instances.
        public var inUse = 0
        /// They are gone, as the dynamic loader has said.
        public var unmapped = 0
        /// They stay mapped until the process ends, as something may point into them.
        public var kept = 0
        /// Of these, how many may have threads of their own.
        public var keptWithThreads = 0
        /// How much memory those that are kept are mapped to, in bytes; what they have allocated is not known.
        public var keptBytes = 0
        /// Why the last one was kept: "it contains Swift"; nil when none was.
        public var lastReason: String?

        /// None yet.
        public init() {}

        /// What came about since an earlier time.
        public static func - (now: Counts, before: Counts) -> Counts {
            var counts = now
            counts.inUse -= before.inUse
            counts.unmapped -= before.unmapped
            counts.kept -= before.kept
            counts.keptWithThreads -= before.keptWithThreads
            counts.keptBytes -= before.keptBytes
            return counts
        }
    }

    private struct State {
        var counts = Counts()
        /// How many are being unmapped.
        var unmapping = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Lock(State())

    init() {}

    /// The counts now.
    public var counts: Counts { state.withLock { $0.counts } }

    /// Calls `body` when nothing is being unmapped, at once if that is now.
    public func whenIdle(_ body: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            if state.unmapping > 0 { state.waiting.append(body) }
            return state.unmapping == 0
        }
        if isIdle { body() }
    }

    func retires() { state.withLock { $0.counts.inUse += 1 } }

    func revives() { state.withLock { $0.counts.inUse -= 1 } }

    func isUnmapping() { state.withLock { $0.unmapping += 1 } }

    func unmapped() {
        leave {
            $0.counts.unmapped += 1
            $0.unmapping -= 1
        }
    }

    /// - Parameter wasUnmapping: whether it was to be unmapped, which the loader did not do.
    func keeps(_ hindrance: UnmappingHindrance, _ bytes: Int, wasUnmapping: Bool = false) {
        leave {
            $0.counts.kept += 1
            $0.counts.keptWithThreads += hindrance.mayHaveThreads ? 1 : 0
            $0.counts.keptBytes += bytes
            $0.counts.lastReason = hindrance.reason
            $0.unmapping -= wasUnmapping ? 1 : 0
        }
    }

    private func leave(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            state.counts.inUse -= 1
            guard state.unmapping == 0 else { return [@Sendable () -> Void]() }
            defer { state.waiting = [] }
            return state.waiting
        }
        for body in waiting { body() }
    }
}
