public import HostLoop
import Manifest
public import Records

/// How far a client has seen the activities of an app.
public struct ActivityCursor: Sendable {
    /// By loop and kind: how many were seen.
    fileprivate var loops: [Int: [AppActivity.Kind: UInt64]] = [:]
    fileprivate var messages: UInt64?

    /// Whether messages of gears are watched.
    public var seesMessages: Bool { messages != nil }

    /// Nothing is watched.
    public init() {}
}

extension AppPort {
    /// Keeps what a loop does from now on, until `unwatch` is called as often as `watch` was.
    ///
    /// - Parameter loop: an index into `Manifest.loops`; it need not have begun.
    public func watch(loop: Int) { watches[loop].open(observed(loop)) }

    /// The loop that its watch observes; nil if it has not begun, or its watch observes its instances.
    private func observed(_ loop: Int) -> Loop<Record, AppEvent>? {
        watches[loop].model.key == nil ? run?.loop(at: loop) : nil
    }

    /// Ends one `watch`. After the last, what was kept is forgotten.
    public func unwatch(loop: Int) { watches[loop].close(observed(loop)) }

    /// Keeps the messages between loops from now on, until `unwatchMessages` is called as often.
    public func watchMessages() { messages.open(run?.gears.tap) }

    /// Ends one `watchMessages`.
    public func unwatchMessages() { messages.close(run?.gears.tap) }

    /// A reader that has seen all activities of some loops so far.
    ///
    /// - Parameter kinds: with messages of gears if `gears` is among them.
    public func cursor(of loops: Set<Int>, _ kinds: Set<AppActivity.Kind>) -> ActivityCursor {
        var cursor = ActivityCursor()
        for loop in loops {
            cursor.loops[loop] = Dictionary(uniqueKeysWithValues: kinds.map { ($0, watches[loop].total($0)) })
        }
        if kinds.contains(.gears) { cursor.messages = messages.total }
        return cursor
    }

    /// The activities that a reader has not seen, in order, and how many are not kept any more.
    ///
    /// - Parameter cursor: moves behind the activities that are returned.
    public func activities(after cursor: inout ActivityCursor) -> (lost: Int, kept: [AppActivity]) {
        order.taken()
        var (lost, kept): (Int, [AppActivity]) = (0, [])
        for (loop, kinds) in cursor.loops {
            watches[loop].renew(observed(loop))
            for kind in kinds.keys {
                let new = watches[loop].activities(kind, after: &cursor.loops[loop]![kind]!)
                (lost, kept) = (lost + new.lost, kept + new.kept)
            }
        }
        if var seen = cursor.messages {
            let sent = messages.messages(after: &seen)
            (lost, kept) = (lost + sent.lost, kept + sent.kept)
            cursor.messages = seen
        }
        return (lost, kept.sorted { $0.position < $1.position })
    }

    /// Whether one of the reader's loops did more than can be kept. The next `activities` ends that.
    public func isBehind(_ cursor: ActivityCursor) -> Bool {
        cursor.loops.keys.contains { watches[$0].isBehind }
    }

    /// The steps of a loop that are kept, the unhandled events, and the gaps between them, in order.
    public func keptSteps(ofLoop loop: Int) -> [AppActivity] { watches[loop].kept }

    /// Whether steps of a watched loop are not kept any more.
    public func hasForgotten(ofLoop loop: Int) -> Bool { watches[loop].hasForgotten }

    /// Whether there are activities since `activities` was called last, by any reader.
    public var hasActivity: Bool { order.hasReported }

    /// The position of the last activity.
    public var lastPosition: UInt64 { order.latest }

    /// What a loop did since it is watched, or since its start if the port counts from the start; otherwise nil.
    ///
    /// If a loop does more than can be kept, steps and runs that were not seen are counted later. The durations are those
    /// of the seen runs. Of a loop with a key, runs that were not seen are not counted.
    public func watchedCounts(ofLoop loop: Int) -> WatchedCounts? {
        watches[loop].renew(observed(loop))
        return watches[loop].counts
    }

    /// The runs of a loop that have not ended; none of a loop with a key, whose instances may have any number of them.
    ///
    /// - Throws: `NotBegun` before the loops have begun.
    public func runs(ofLoop loop: Int) throws(NotBegun) -> [OngoingRun] {
        let running = try running(loop)
        guard watches[loop].model.key == nil else { return [] }
        return running.ended.running.map { watches[loop].ongoing($0) }
    }
}

/// A run that has not ended.
public struct OngoingRun: Sendable {
    /// Which run it is.
    public let run: EffectRun
    /// How long it lasts; nil if it began while the loop was not observed.
    public let age: Duration?
    /// The arguments of its last call, a record of the parameters; nil if it has made none, or made it while the loop
    /// was not observed.
    public let arguments: Record?
}
