import HostLoop

/// Counts the plugin versions that a host has retired. May be used from any thread.
public final class RetiredImages: Sendable {
    /// How many images are in which state.
    public struct Counts: Hashable, Sendable {
        /// Images that may still be called: by running calls, by effects that emit later, or as instances.
        public var inUse = 0
        /// Images that the dynamic loader has unmapped.
        public var unmapped = 0
        /// Images that stay mapped until the process ends, as something may point into them.
        public var kept = 0
        /// Kept images that may have started threads.
        public var keptWithThreads = 0
        /// The mapped size of kept images, in bytes, without memory that they have allocated.
        public var keptBytes = 0
        /// Why the last one was kept, such as "it contains Swift"; nil if none was.
        public var lastReason: String?

        /// Counts of zero.
        public init() {}

        /// The difference to earlier counts. `lastReason` is the one of `now`.
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
        /// How many images are being unmapped.
        var unmapping = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Lock(State())

    init() {}

    /// The counts now.
    public var counts: Counts { state.withLock { $0.counts } }

    /// Calls `body` once, when no image is being unmapped; at once if none is.
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

    /// - Parameter wasUnmapping: whether the host tried to unmap the image, and the loader kept it.
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
