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

    /// The number of instances, the number of steps of all of them, and what has become of them so far.
    ///
    /// - Throws: `NotBegun` before the loops have begun.
    public func instances(
        ofLoop loop: Int
    ) throws(NotBegun) -> (count: Int, steps: UInt64, counters: KeyedCounters) {
        let instances = try kind(loop).instances
        return (instances.count, tap(ofLoop: loop).steps.current, instances.counters)
    }

    /// The number of runs that have not ended, of a loop or of all its instances.
    public func runningCount(ofLoop loop: Int) -> Int { run?.running(inLoop: loop).count ?? 0 }

    private func kind(_ loop: Int) throws(NotBegun) -> LoopKind {
        guard let kind = run?.begunKind(ofLoop: loop) else { throw NotBegun() }
        return kind
    }
}
