public import HostLoop
public import Manifest
public import Records

/// The state of one instance of a loop with a key.
public struct InstanceState: Sendable {
    /// The key.
    public let key: LoopKey
    /// The state's record, which has the key too.
    public let state: Record
}

extension AppPort {
    /// Queues an event for an instance of a loop with a key, and never blocks. The event's origin is `external`.
    ///
    /// - Parameters:
    ///   - event: an index into the loop's `events`.
    ///   - payload: a record of the event's type.
    ///   - key: of the instance, which the event may make.
    ///   - loop: the index in `Manifest.loops` of a loop with a key.
    /// - Throws: `NotBegun` before the loops have begun.
    public func send(
        event: Int, payload: Record, to key: LoopKey, ofLoop loop: Int
    ) throws(NotBegun) -> KeyedEmitResult {
        try kind(loop).emit(AppEvent(index: event, payload: payload), to: key)
    }

    /// The state of an instance, or the last state of one that is done and is kept; nil if there is no such state. Waits only for
    /// a reduction that is under way.
    ///
    /// - Throws: `NotBegun` before the loops have begun.
    public func state(of key: LoopKey, ofLoop loop: Int) throws(NotBegun) -> InstanceState? {
        try kind(loop).instances.state(of: key).map { InstanceState(key: key, state: $0) }
    }

    /// Instances with their states, in the order in which they were made. Each state is read by itself.
    ///
    /// - Parameters:
    ///   - cursor: the end of the page before; nil: from the first instance on.
    ///   - most: the greatest number of instances.
    /// - Throws: `NotBegun` before the loops have begun.
    public func page(
        ofLoop loop: Int, after cursor: KeyedCursor?, atMost most: Int
    ) throws(NotBegun) -> KeyedPage<LoopKey, Record> {
        try kind(loop).instances.page(after: cursor, atMost: most)
    }

    /// The instances of a loop with a key as numbers.
    public struct InstanceCounts: Sendable {
        /// How many there are.
        public let count: Int
        /// How many of these do something now, and how many rest while their effects run.
        public let awake: Int, busy: Int
        /// The steps of all instances so far.
        public let steps: UInt64
        /// What has become of the instances so far.
        public let counters: KeyedCounters
    }

    /// The instances as numbers, which takes the same time however many there are.
    ///
    /// - Throws: `NotBegun` before the loops have begun.
    public func instances(ofLoop loop: Int) throws(NotBegun) -> InstanceCounts {
        let kind = try kind(loop)
        return InstanceCounts(
            count: kind.instances.count, awake: kind.activity.awakeCount, busy: kind.activity.busyCount,
            steps: kind.counters.steps, counters: kind.instances.counters)
    }

    private func kind(_ loop: Int) throws(NotBegun) -> LoopKind {
        guard let kind = run?.begunKind(ofLoop: loop) else { throw NotBegun() }
        return kind
    }
}
