import Dispatch
package import HostLoop
public import Records

/// Appends entries to a journal. Any thread may append. One thread commits, and so does a thread that waits for its
/// entries.
///
/// Entries have the order in which they were appended. So an entry that caused another one is before it, and
/// any end of the journal is a state that the app has had, over all loops.
///
/// After the first commit that fails, the journal takes nothing any more, and `onFailure` is called once.
public final class JournalWriter: Sendable {
    /// When entries are committed.
    public struct Timing: Sendable {
        /// How long an entry waits for others.
        public var interval: Duration
        /// The clock of commit times: nanoseconds since 1970-01-01T00:00:00Z.
        public var wallTime: @Sendable () -> Int64

        /// A timing.
        public init(interval: Duration, wallTime: @escaping @Sendable () -> Int64) {
            (self.interval, self.wallTime) = (interval, wallTime)
        }
    }

    /// Counts of a writer, and how it is.
    public struct Status: Sendable {
        /// Entries with a position that were appended and committed.
        public internal(set) var appended: UInt64, committed: UInt64
        /// How often a thread had to wait for room.
        public internal(set) var waits = 0
        /// The number of commits, and of their bytes.
        public internal(set) var commits = 0, bytes = 0
        /// How long the store took for each commit.
        package internal(set) var commitTimes = DurationHistogram()
        /// Why nothing is written any more; nil while the journal is durable.
        public internal(set) var failure: JournalError?
    }

    /// Bytes that wait for a commit, before a thread that appends must wait.
    package static let room = 16 << 20
    /// Bytes that are committed before the interval is over.
    private static let full = 4 << 20

    /// What an append begins with, in the bytes that wait.
    struct Block: BitwiseCopyable {
        /// The loop that has recorded it (`register`); 0 for entries.
        let loop: Int
        var size: Int
    }

    struct State {
        /// Blocks, each at a multiple of 8.
        var bytes = ByteWriter(capacity: 1 << 16)
        /// The last block of `bytes`, and where it is: what the same loop records next is added to it.
        var block = Block(loop: 0, size: 0)
        var place = 0
        var spare = ByteWriter(capacity: 1 << 16)
        /// Entries with a position in `bytes`.
        var count = 0
        var status: Status
        /// Appends so far, and those that are committed.
        var last: UInt64 = 0
        var durable: UInt64 = 0
        var waiters: [(append: UInt64, done: @Sendable (Bool) -> Void)] = []
        var blocked = 0
        /// The committing thread waits for the first entry.
        var isIdle = true
        /// It must not wait for the interval.
        var isHurried = false
        var isClosing = false
        var commands: [@Sendable (any JournalStore) throws(JournalError) -> Void] = []
        /// By the number of the loop, from 1.
        var encoders: [LoopEncoder?] = []
        /// The numbers of loops that append nothing more.
        var retired: [Int] = []
    }

    let store: any JournalStore
    let timing: Timing
    let onFailure: @Sendable (JournalError) -> Void
    let onCommit: @Sendable (Chunk, JournalWriter) -> Void
    let state: Lock<State>
    /// Held by the thread that commits: the newest chunk.
    let last: Lock<Chunk?>
    /// The entries of the batch that is committed. A thread must hold `last` to use it.
    let encoded = ByteWriter(capacity: 1 << 16)
    let bell = DispatchSemaphore(value: 0)
    let roomBell = DispatchSemaphore(value: 0)
    let isOver = DispatchSemaphore(value: 0)

    /// A writer that continues a journal. The committing thread starts at once.
    ///
    /// - Parameters:
    ///   - last: the newest chunk of the store.
    ///   - onCommit: called after each commit, on the thread that committed.
    ///   - onFailure: called on the thread that failed to commit.
    public init(
        _ store: any JournalStore, after last: Chunk?, _ timing: Timing,
        onCommit: @escaping @Sendable (Chunk, JournalWriter) -> Void = { _, _ in },
        onFailure: @escaping @Sendable (JournalError) -> Void
    ) {
        (self.store, self.timing, self.onCommit, self.onFailure) = (store, timing, onCommit, onFailure)
        let position = (last?.next ?? 1) - 1
        state = Lock(State(status: Status(appended: position, committed: position)))
        self.last = Lock(last)
        DispatchQueue(label: "spinhost.journal").async { self.commitAll() }
    }

    /// Counts, and whether the journal is still written.
    public var status: Status { state.withLock { $0.status } }

    /// Has the committing thread write with an encoder what a loop records, until the loop retires.
    ///
    /// - Returns: the number of the loop for `append`.
    public func register(_ encoder: LoopEncoder) -> Int {
        encoder.bytes = encoded
        return state.withLock { state in
            if let free = state.encoders.firstIndex(where: { $0 == nil }) {
                state.encoders[free] = encoder
                return free + 1
            }
            state.encoders.append(encoder)
            return state.encoders.count
        }
    }

    /// The loop appends nothing more.
    public func retire(_ loop: Int) { state.withLock { $0.retired.append(loop) } }

    /// Appends entries, and waits while too many wait for a commit.
    ///
    /// - Parameters:
    ///   - entries: one entry or more.
    ///   - count: how many of them have a position.
    ///   - loop: the number of the loop whose recorder has recorded them; 0: they are written already.
    /// - Returns: the position of the first one, and what `whenDurable` takes.
    @discardableResult
    public func append(
        _ entries: ByteWriter, count: Int, of loop: Int = 0
    ) -> (position: UInt64, append: UInt64) {
        // Safe because the memory that is added has room for the bytes.
        unsafe entries.withBytes { bytes in
            unsafe append(bytes.count, count: count, of: loop) { place in
                guard let base = bytes.baseAddress else { return }
                unsafe place.copyMemory(from: base, byteCount: bytes.count)
            }
        }
    }

    /// The same, of so many bytes that `write` writes.
    @discardableResult @inline(__always)
    func append(
        _ size: Int, count: Int, of loop: Int, _ write: (UnsafeMutableRawPointer) -> Void
    ) -> (position: UInt64, append: UInt64) {
        while true {
            let (place, wakes) = state.withLock { state in unsafe add(size, count, loop, &state, write) }
            if wakes { bell.signal() }
            if let place { return place }
            roomBell.wait()
        }
    }

    @inline(__always)
    private func add(
        _ size: Int, _ count: Int, _ loop: Int, _ state: inout State,
        _ write: (UnsafeMutableRawPointer) -> Void
    ) -> (place: (position: UInt64, append: UInt64)?, wakes: Bool) {
        guard state.status.failure == nil, !state.isClosing else { return ((0, 0), false) }
        guard state.bytes.count < Self.room else {
            state.blocked += 1
            state.status.waits += 1
            return (nil, false)
        }
        if loop == 0 || state.block.loop != loop {
            (state.block, state.place) = (Block(loop: loop, size: 0), state.bytes.count)
            unsafe state.bytes.add(MemoryLayout<Block>.size).storeBytes(of: state.block, as: Block.self)
        }
        state.block.size += size
        state.bytes.replace(at: state.place, by: state.block)
        unsafe write(state.bytes.add(size))
        // What a recorder records ends at a multiple of 8.
        if loop == 0 { state.bytes.pad(to: 8) }
        let position = state.status.appended + 1
        state.status.appended += UInt64(count)
        state.count += count
        state.last += 1
        let place = (position, state.last)
        if state.isIdle {
            state.isIdle = false
            return (place, true)
        }
        guard state.bytes.count >= Self.full, !state.isHurried else { return (place, false) }
        state.isHurried = true
        return (place, true)
    }

    /// Calls `done` with true once an append is committed, or with false when the journal fails before that: on
    /// the thread that commits, or at once.
    ///
    /// - Parameter hurries: whether the commit must not wait for others.
    public func whenDurable(_ append: UInt64, hurries: Bool, _ done: @escaping @Sendable (Bool) -> Void) {
        let (answer, wakes) = state.withLock { state -> (Bool?, Bool) in
            guard state.durable < append else { return (append > 0, false) }
            guard state.status.failure == nil else { return (false, false) }
            state.waiters.append((append, done))
            defer { if hurries { state.isHurried = true } }
            return (nil, hurries && !state.isHurried)
        }
        if wakes { bell.signal() }
        if let answer { done(answer) }
    }

    /// Waits until an append is committed, which waits for no others. This thread commits, unless another one does.
    ///
    /// - Returns: false when the journal has failed.
    public func wait(until append: UInt64) -> Bool {
        commit { [self] in
            state.withLock { $0.durable < append && $0.status.failure == nil }
        }
        return state.withLock { append > 0 && $0.durable >= append }
    }

    /// Waits until all is committed that was appended so far.
    ///
    /// - Returns: false when the journal has failed.
    public func flush() -> Bool {
        let (last, failure) = state.withLock { ($0.last, $0.status.failure) }
        return last == 0 ? failure == nil : wait(until: last)
    }

    /// Has the committing thread do something with the store, between two commits.
    public func perform(_ command: @escaping @Sendable (any JournalStore) throws(JournalError) -> Void) {
        let wakes = state.withLock { state in
            state.commands.append(command)
            defer { state.isIdle = false }
            return state.isIdle
        }
        if wakes { bell.signal() }
    }

    /// Commits what was appended, and ends the thread. Returns when it has ended. Later entries are dropped.
    public func close() {
        state.withLock { ($0.isClosing, $0.isIdle) = (true, false) }
        bell.signal()
        isOver.wait()
        isOver.signal()
    }
}
