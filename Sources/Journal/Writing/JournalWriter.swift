import Dispatch
import HostLoop
public import Records

/// Appends entries to a journal. Any thread may append; one thread commits.
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
        /// Why nothing is written any more; nil while the journal is durable.
        public internal(set) var failure: JournalError?
    }

    /// Bytes that wait for a commit, before a thread that appends must wait.
    package static let room = 16 << 20
    /// Bytes that are committed before the interval is over.
    private static let full = 4 << 20

    private struct State {
        var bytes = ByteWriter(capacity: 1 << 16)
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
    }

    private let store: any JournalStore
    private let timing: Timing
    private let onFailure: @Sendable (JournalError) -> Void
    private let onCommit: @Sendable (Chunk, JournalWriter) -> Void
    private let state: Lock<State>
    private let bell = DispatchSemaphore(value: 0)
    private let roomBell = DispatchSemaphore(value: 0)
    private let isOver = DispatchSemaphore(value: 0)

    /// A writer that continues a journal. The committing thread starts at once.
    ///
    /// - Parameters:
    ///   - last: the newest chunk of the store.
    ///   - onCommit: called on the committing thread after each commit.
    ///   - onFailure: called on the committing thread.
    public init(
        _ store: any JournalStore, after last: Chunk?, _ timing: Timing,
        onCommit: @escaping @Sendable (Chunk, JournalWriter) -> Void = { _, _ in },
        onFailure: @escaping @Sendable (JournalError) -> Void
    ) {
        (self.store, self.timing, self.onCommit, self.onFailure) = (store, timing, onCommit, onFailure)
        let position = (last?.next ?? 1) - 1
        state = Lock(State(status: Status(appended: position, committed: position)))
        DispatchQueue(label: "spinhost.journal").async { self.commitAll(after: last) }
    }

    /// Counts, and whether the journal is still written.
    public var status: Status { state.withLock { $0.status } }

    /// Appends entries, and waits while too many wait for a commit.
    ///
    /// - Parameters:
    ///   - entries: one entry or more.
    ///   - count: how many of them have a position.
    /// - Returns: the position of the first one, and what `whenDurable` takes.
    @discardableResult
    public func append(_ entries: ByteWriter, count: Int) -> (position: UInt64, append: UInt64) {
        while true {
            let (place, wakes) = state.withLock { state in add(entries, count, &state) }
            if wakes { bell.signal() }
            if let place { return place }
            roomBell.wait()
        }
    }

    @inline(__always)
    private func add(
        _ entries: ByteWriter, _ count: Int, _ state: inout State
    ) -> (place: (position: UInt64, append: UInt64)?, wakes: Bool) {
        guard state.status.failure == nil, !state.isClosing else { return ((0, 0), false) }
        guard state.bytes.count < Self.room else {
            state.blocked += 1
            state.status.waits += 1
            return (nil, false)
        }
        // Safe because the bytes are copied before the call returns.
        unsafe entries.withBytes { unsafe state.bytes.put(raw: $0) }
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
    /// the committing thread, or at once.
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

    /// Waits until an append is committed, which waits for no others.
    ///
    /// - Returns: false when the journal has failed.
    public func wait(until append: UInt64) -> Bool {
        let answer = Answer()
        let isDone = DispatchSemaphore(value: 0)
        whenDurable(append, hurries: true) { isDurable in
            answer.isDurable.withLock { $0 = isDurable }
            isDone.signal()
        }
        isDone.wait()
        return answer.isDurable.withLock { $0 }
    }

    /// Waits until all is committed that was appended so far.
    ///
    /// - Returns: false when the journal has failed.
    public func flush() -> Bool {
        let (last, failure) = state.withLock { ($0.last, $0.status.failure) }
        return last == 0 ? failure == nil : wait(until: last)
    }

    private final class Answer: Sendable {
        let isDurable = Lock(false)
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

    // MARK: - The committing thread

    /// What is committed together.
    private struct Batch {
        let bytes: ByteWriter
        let count: Int
        /// The number of the last append.
        let append: UInt64
    }

    private func commitAll(after last: Chunk?) {
        var last = last
        while true {
            awaitBatch()
            // Entries that come during a commit wait for the next one, except at the end.
            let isClosing = state.withLock(\.isClosing)
            repeat {
                performCommands()
                guard let batch = takeBatch() else { break }
                last = commit(batch, after: last) ?? last
            } while isClosing
            if isClosing { break }
            rest()
        }
        isOver.signal()
    }

    /// Waits for an entry, and then for the interval. A signal that came too late for an earlier batch ends
    /// neither wait, so the state is asked again after each one.
    private func awaitBatch() {
        while state.withLock({ $0.isIdle }) { bell.wait() }
        let end = DispatchTime.now() + timing.interval.dispatch
        while state.withLock({ !$0.isHurried && !$0.isClosing && $0.commands.isEmpty }),
            bell.wait(timeout: end) == .success
        {}
    }

    /// Notes that the thread waits, unless there is something to do.
    private func rest() {
        state.withLock { state in
            state.isIdle = state.bytes.count == 0 && state.commands.isEmpty && !state.isClosing
            if state.isIdle { state.isHurried = false }
        }
    }

    private func performCommands() {
        let commands = state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
        for command in commands {
            do throws(JournalError) { try command(store) } catch { fail(error) }
        }
    }

    private func takeBatch() -> Batch? {
        let (batch, blocked) = state.withLock { state -> (Batch?, Int) in
            state.isHurried = false
            guard state.bytes.count > 0, state.status.failure == nil else { return (nil, 0) }
            defer { (state.count, state.blocked) = (0, 0) }
            let batch = Batch(bytes: state.bytes, count: state.count, append: state.last)
            swap(&state.bytes, &state.spare)
            return (batch, state.blocked)
        }
        for _ in 0..<blocked { roomBell.signal() }
        return batch
    }

    private func commit(_ batch: Batch, after last: Chunk?) -> Chunk? {
        let chunk = Chunk(
            after: last, count: batch.count, time: timing.wallTime(), bytes: batch.bytes.bytes)
        batch.bytes.removeAll()
        do throws(JournalError) { try store.append(chunk) } catch {
            fail(error)
            return nil
        }
        let waiters = state.withLock { state in
            state.durable = batch.append
            state.status.committed = chunk.next - 1
            state.status.commits += 1
            state.status.bytes += chunk.bytes.count
            let isDurable = state.waiters.partition { $0.append <= batch.append }
            defer { state.waiters.removeSubrange(isDurable...) }
            return state.waiters[isDurable...].map(\.done)
        }
        for done in waiters { done(true) }
        onCommit(chunk, self)
        return chunk
    }

    private func fail(_ error: JournalError) {
        let waiters = state.withLock { state -> [@Sendable (Bool) -> Void]? in
            guard state.status.failure == nil else { return nil }
            state.status.failure = error
            // The thread would wait for them again and again.
            state.bytes.removeAll()
            state.count = 0
            for _ in 0..<state.blocked { roomBell.signal() }
            defer { (state.blocked, state.waiters) = (0, []) }
            return state.waiters.map(\.done)
        }
        guard let waiters else { return }
        onFailure(error)
        for done in waiters { done(false) }
    }
}

extension Duration {
    /// The time for Dispatch.
    fileprivate var dispatch: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        return .nanoseconds(Int(clamping: seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}
