import Dispatch
import Journal
import Records
import Synchronization
import Testing
import TestSupport

struct JournalWriterTests {
    private static let hour = JournalWriter.Timing(interval: .seconds(3600), wallTime: { 42 })
    private static let soon = JournalWriter.Timing(interval: .milliseconds(1), wallTime: { 42 })
    private static let failure = JournalError(.notDurable, "the disk is full")

    private final class Box<Value: Sendable>: Sendable {
        let value: Mutex<Value>

        init(_ value: Value) { self.value = Mutex(value) }
    }

    @Test func entriesOfManyThreads_keepTheOrderOfTheirThread_atDensePositions() throws {
        let store = TestStore()
        let writer = JournalWriter(store, after: nil, Self.soon, onFailure: { Issue.record($0) })
        let places = Box<[UInt64: UInt64]>([:])
        let done = DispatchSemaphore(value: 0)
        let (threads, each) = (UInt64(4), UInt64(2000))
        for thread in 0..<threads {
            OtherThread.start {
                for index in 0..<each {
                    let position = writer.append(entry(thread << 32 | index), count: 1).position
                    places.value.withLock { $0[position] = thread << 32 | index }
                }
                done.signal()
            }
        }
        for _ in 0..<threads { done.wait() }
        writer.close()
        let bytes = store.chunks.flatMap(\.bytes)
        let written = stride(from: 0, to: bytes.count, by: 8).map { start in
            bytes[start..<start + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        #expect(written.count == Int(threads * each))
        for thread in 0..<threads {
            #expect(written.filter { $0 >> 32 == thread } == (0..<each).map { thread << 32 | $0 })
        }
        let found = places.value.withLock { $0 }
        #expect(found.keys.sorted() == Array(1...threads * each))
        #expect(found.sorted { $0.key < $1.key }.map(\.value) == written)
        var before: Chunk?
        for chunk in store.chunks {
            #expect(chunk.follows(before))
            before = chunk
        }
        #expect(writer.status.committed == threads * each)
        #expect(writer.status.commits == store.chunks.count)
        #expect(writer.status.bytes == bytes.count)
    }

    @Test func aWaitDoesNotWaitForTheInterval_andACloseCommitsTheRest() throws {
        let store = TestStore()
        let writer = JournalWriter(store, after: nil, Self.hour, onFailure: { Issue.record($0) })
        let first = writer.append(entry(1), count: 1)
        #expect(writer.wait(until: first.append))
        #expect(store.chunks.map(\.count) == [1])
        #expect(writer.wait(until: first.append))
        let answers = Box<[Bool]>([])
        let last = writer.append(entry(2), count: 3)
        #expect(last.position == 2)
        writer.whenDurable(last.append, hurries: false) { answer in
            answers.value.withLock { $0.append(answer) }
        }
        #expect(answers.value.withLock { $0 } == [])
        writer.close()
        #expect(answers.value.withLock { $0 } == [true])
        #expect(store.chunks.map(\.count) == [1, 3])
        #expect(store.chunks.map(\.time) == [42, 42])
        #expect(writer.append(entry(3), count: 1) == (0, 0))
        #expect(!writer.wait(until: 0))
        writer.close()
        #expect(store.chunks.count == 2)
    }

    @Test func aWriterContinuesAfterTheLastChunk_andPerformsCommandsOnItsThread() throws {
        let store = TestStore()
        let last = Chunk(after: nil, count: 5, time: 0, bytes: [1])
        try store.append(last)
        let committed = Box<[UInt64]>([])
        let writer = JournalWriter(
            store, after: last, Self.hour,
            onCommit: { chunk, _ in committed.value.withLock { $0.append(chunk.number) } },
            onFailure: { Issue.record($0) })
        #expect((writer.status.appended, writer.status.committed) == (5, 5))
        let isDone = DispatchSemaphore(value: 0)
        writer.perform { store throws(JournalError) in
            try store.put(Snapshot(after: last, bytes: [9]))
            isDone.signal()
        }
        isDone.wait()
        #expect(try store.snapshots() == [1])
        #expect(writer.append(entry(1), count: 1).position == 6)
        writer.close()
        #expect(committed.value.withLock { $0 } == [2])
        #expect(store.chunks[1].follows(last))
    }

    @Test(arguments: 1...3)
    func aFailedCommit_isReportedOnce_andEndsAll(number: UInt64) throws {
        let store = TestStore { chunk throws(JournalError) in
            if chunk.number == number { throw Self.failure }
        }
        let failures = Box<[JournalError]>([])
        let writer = JournalWriter(
            store, after: nil, Self.hour,
            onFailure: { failure in failures.value.withLock { $0.append(failure) } })
        for index in 1..<number { #expect(writer.wait(until: writer.append(entry(index), count: 1).append)) }
        let lost = writer.append(entry(number), count: 1)
        #expect(lost.position == number)
        #expect(!writer.wait(until: lost.append))
        #expect(!writer.wait(until: lost.append))
        #expect(writer.append(entry(0), count: 1) == (0, 0))
        writer.close()
        #expect(failures.value.withLock { $0 } == [Self.failure])
        #expect(writer.status.failure == Self.failure)
        #expect(writer.status.committed == number - 1)
        #expect(store.chunks.count == Int(number) - 1)
    }

    @Test func threadsThatWait_commitThemselves_andNothingFollowsAFailedCommit() throws {
        let store = TestStore { chunk throws(JournalError) in
            if chunk.number == 30 { throw Self.failure }
        }
        let failures = Box(0)
        let writer = JournalWriter(
            store, after: nil, Self.hour, onFailure: { _ in failures.value.withLock { $0 += 1 } })
        let durable = Box<[UInt64]>([])
        let done = DispatchSemaphore(value: 0)
        for thread in UInt64(0)..<8 {
            OtherThread.start {
                for index in UInt64(0)... {
                    let place = writer.append(entry(thread << 32 | index), count: 1)
                    guard writer.wait(until: place.append) else { break }
                    durable.value.withLock { $0.append(place.position) }
                }
                done.signal()
            }
        }
        for _ in 0..<8 { done.wait() }
        writer.close()
        #expect(failures.value.withLock { $0 } == 1)
        #expect(store.chunks.map(\.number) == Array(1...29))
        let committed = UInt64(store.chunks.reduce(0) { $0 + $1.count })
        #expect(durable.value.withLock { $0.sorted() } == Array(1...committed))
    }

    /// The first commit ends when the test wants it; meanwhile the buffer becomes full.
    @Test(arguments: [true, false])
    func aFullBufferMakesThreadsWait_untilACommitOrAFailure(fails: Bool) throws {
        let (isCommitting, mayCommit) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let store = TestStore { chunk throws(JournalError) in
            guard chunk.number == 1 else { return }
            isCommitting.signal()
            mayCommit.wait()
            if fails { throw Self.failure }
        }
        let writer = JournalWriter(store, after: nil, Self.hour, onFailure: { _ in })
        writer.whenDurable(writer.append(entry(0), count: 1).append, hurries: true) { _ in }
        isCommitting.wait()
        let large = ByteWriter()
        large.put(raw: [UInt8](repeating: 1, count: 1 << 20))
        let count = JournalWriter.room >> 20
        for _ in 0..<count { writer.append(large, count: 1) }
        #expect(writer.status.waits == 0)
        let positions = Box<[UInt64]>([])
        let done = DispatchSemaphore(value: 0)
        for _ in 0..<2 {
            OtherThread.start {
                let position = writer.append(entry(9), count: 1).position
                positions.value.withLock { $0.append(position) }
                done.signal()
            }
        }
        try blockUntil { writer.status.waits == 2 }
        #expect(positions.value.withLock { $0 } == [])
        mayCommit.signal()
        done.wait()
        done.wait()
        writer.close()
        #expect(
            positions.value.withLock { $0.sorted() }
                == (fails ? [0, 0] : [UInt64(count) + 2, UInt64(count) + 3]))
        #expect(store.chunks.reduce(0) { $0 + $1.count } == (fails ? 0 : count + 3))
        #expect(writer.status.waits >= 2)
    }
}

/// The entry of a thread.
private func entry(_ number: UInt64) -> ByteWriter {
    let entry = ByteWriter()
    entry.put(fixed: number)
    return entry
}

extension ByteWriter {
    fileprivate func put(raw bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe put(raw: $0) }
    }
}
