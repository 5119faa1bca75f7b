import Journal
import Testing

struct MemoryStoreTests {
    private let store = MemoryStore(header: .levels)

    @Test(arguments: [MemoryStore.Moment.before, .after])
    func failedAppend_endsTheStore_andReopeningHasAllThatWasAcknowledged(moment: MemoryStore.Moment) throws {
        store.fail(.append, moment, at: 3)
        try store.append(2)
        #expect(failure { () throws(JournalError) in try store.append(1) }?.kind == .notDurable)
        #expect(failure { () throws(JournalError) in try store.append(1) }?.kind == .notDurable)
        #expect(failure { () throws(JournalError) in try store.prune(upTo: 1) }?.kind == .notDurable)
        let reopened = store.reopened()
        #expect(try reopened.chunks().count == (moment == .before ? 2 : 3))
        try reopened.append(1)
    }

    @Test func failedPutAndPrune_haveTheirEffect_orNot() throws {
        try store.append(3)
        let snapshot = Snapshot(after: try store.chunks()[1], bytes: [1])
        for moment in [MemoryStore.Moment.before, .after] {
            let put = store.reopened()
            put.fail(.put, moment)
            #expect(failure { () throws(JournalError) in try put.put(snapshot) }?.kind == .notDurable)
            #expect(try put.snapshots() == (moment == .before ? [] : [2]))
            let prune = store.reopened()
            prune.fail(.prune, moment)
            #expect(failure { () throws(JournalError) in try prune.prune(upTo: 2) }?.kind == .notDurable)
            #expect(try prune.chunks().count == (moment == .before ? 3 : 1))
        }
    }

    @Test func crash_leavesTheChunksUpToANumber() throws {
        try store.append(4)
        for chunk in try store.chunks() { try store.put(Snapshot(after: chunk, bytes: [])) }
        for number in 0...4 as ClosedRange<UInt64> {
            let reopened = store.reopened(upTo: number)
            #expect(try reopened.chunks().map(\.number) == Array(1..<number + 1))
            #expect(try reopened.snapshots() == Array(1..<number + 1))
        }
    }

    @Test func changedByte_isFound() throws {
        try store.append(3, size: 5)
        try store.put(Snapshot(after: try store.chunks()[1], bytes: [1, 2]))
        for byte in 0..<9 {
            let changed = store.reopened()
            changed.change(chunk: 2, byte: byte, mask: 1)
            #expect(changed.wholePrefix().map(\.number) == [1])
        }
        for byte in 0..<6 {
            let changed = store.reopened()
            changed.change(snapshot: 2, byte: byte)
            #expect(try changed.snapshot(upTo: 3) { $0.isWhole } == nil)
        }
    }
}
