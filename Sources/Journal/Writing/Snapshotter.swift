import Dispatch
import HostLoop

/// Makes snapshots of a journal while it is written, and prunes it.
///
/// It reads what was committed, through a store of its own, on a thread of its own, when the journal has little to
/// write. So it costs the loops nothing.
public final class Snapshotter: Sendable {
    /// What stays when a journal is pruned. The newest two snapshots always stay, with all that follows them.
    public enum Retention: Hashable, Sendable {
        /// Everything.
        case all
        /// Entries that are younger than this.
        case age(Duration)
        /// So many bytes of entries.
        case bytes(Int)
        /// So many entries with a position.
        case steps(Int)
    }

    private struct State {
        var point: JournalReader.Point
        /// Committed bytes since the last snapshot.
        var pending = 0
        var isRunning = false
    }

    /// A commit of fewer bytes leaves time for a snapshot.
    private static let littleToWrite = 256 << 10

    private let open: @Sendable () throws(JournalError) -> any JournalStore
    private let size: Int
    private let retention: Retention
    private let now: @Sendable () -> Int64
    private let state: Lock<State>
    private let queue = DispatchQueue(label: "spinhost.journal.snapshots", qos: .utility)

    /// - Parameters:
    ///   - point: what the journal says now.
    ///   - size: how many bytes of entries lie between two snapshots.
    ///   - now: nanoseconds since 1970-01-01T00:00:00Z.
    ///   - open: opens the journal to read it.
    public init(
        after point: JournalReader.Point, every size: Int, keeping retention: Retention,
        now: @escaping @Sendable () -> Int64,
        open: @escaping @Sendable () throws(JournalError) -> any JournalStore
    ) {
        (self.open, self.size, self.retention, self.now) = (open, size, retention, now)
        state = Lock(State(point: point, pending: point.bytes))
    }

    /// A chunk was committed: the committing thread calls it.
    public func committed(_ chunk: Chunk, by writer: JournalWriter) {
        let begins = state.withLock { state in
            state.pending += chunk.bytes.count
            guard state.pending >= size, chunk.bytes.count < Self.littleToWrite, !state.isRunning else {
                return false
            }
            state.isRunning = true
            return true
        }
        guard begins else { return }
        queue.async { [self] in
            // A journal that cannot be read now can be read later; nothing depends on snapshots.
            try? makeAll { snapshot in
                writer.perform { [self] store throws(JournalError) in try keep(snapshot, in: store) }
            }
            state.withLock { $0.isRunning = false }
        }
    }

    /// Makes a snapshot of the end of a journal that nothing writes to any more. It leaves a journal that has grown
    /// by more than one snapshot to the next process, as the end must not wait for it.
    ///
    /// - Parameter store: open for writing.
    public func finish(_ store: any JournalStore) throws(JournalError) {
        queue.sync {}
        guard state.withLock({ $0.pending <= size }) else { return }
        var failure: JournalError?
        try makeAll(isLast: true) { snapshot in
            do throws(JournalError) { try keep(snapshot, in: store) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Reads what was committed, and makes a snapshot each `size` bytes.
    private func makeAll(isLast: Bool = false, _ take: (Snapshot) -> Void) throws(JournalError) {
        let reader = JournalReader(try open())
        var (point, made) = (state.withLock { $0.point }, 0)
        while true {
            let read = point.bytes
            try reader.read(into: &point, upTo: .max, most: size)
            let isEnd = point.bytes - read < size
            guard point.damage == nil, let last = point.last, point.bytes > 0, !isEnd || isLast else { break }
            take(Snapshot(after: last, bytes: point.state.encoded()))
            made += point.bytes
            point.bytes = 0
            if isEnd { break }
        }
        let rest = point
        state.withLock { state in
            state.point = rest
            state.pending = max(0, state.pending - made)
        }
    }

    /// Keeps a snapshot, and prunes the journal.
    public func keep(_ snapshot: Snapshot, in store: any JournalStore) throws(JournalError) {
        try store.put(snapshot)
        try Self.prune(store, keeping: retention, now: now())
    }

    /// Removes what need not stay: whole chunks before a snapshot.
    public static func prune(
        _ store: any JournalStore, keeping retention: Retention, now: Int64
    ) throws(JournalError) {
        guard retention != .all else { return }
        var numbers = try store.snapshots()
        while numbers.count >= 2 {
            // The first part is what lies before the oldest snapshot, or between the oldest two.
            let isFirst = try store.size().first <= numbers[0]
            guard isFirst || numbers.count > 2 else { return }
            let number = isFirst ? numbers[0] : numbers[1]
            guard let snapshot = try store.snapshot(upTo: number, { $0.chunk.number == number }),
                try isDispensable(snapshot.chunk, in: store, retention, now)
            else { return }
            try store.prune(upTo: number)
            if !isFirst { numbers.removeFirst() }
            guard try store.size().first > number else { return }
        }
    }

    /// Whether what lies before a chunk's end need not stay.
    private static func isDispensable(
        _ chunk: Chunk, in store: any JournalStore, _ retention: Retention, _ now: Int64
    ) throws(JournalError) -> Bool {
        switch retention {
        case .all: return false
        case .age(let age): return isOlder(chunk, than: age, now)
        case .bytes(let bytes): return try store.size().chunkBytes > bytes
        case .steps(let steps):
            let last = try store.last()?.next ?? 0
            return last > chunk.next && last - chunk.next >= UInt64(clamping: steps)
        }
    }
}
