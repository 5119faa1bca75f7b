extension Snapshotter {
    /// Prunes a journal that nothing else writes to. It makes a snapshot where the rest begins, and one at the end.
    ///
    /// Whole chunks are removed, and the newest one stays.
    ///
    /// - Parameters:
    ///   - store: open for writing.
    ///   - now: nanoseconds since 1970-01-01T00:00:00Z.
    ///   - reached: gets each chunk that is read.
    /// - Returns: the position of the first entry that stays; nil when nothing is removed.
    /// - Throws: `.damaged` when the journal is not whole; nothing is removed then.
    public static func cut(
        _ store: any JournalStore, keeping retention: Retention, now: Int64,
        reached: (@Sendable (Chunk) -> Void)? = nil
    ) throws(JournalError) -> UInt64? {
        let reader = JournalReader(store, reached: reached)
        let end = try reader.all()
        if let damage = end.damage { throw damage }
        guard let last = end.last, let cut = try cut(store, before: last, retention, now) else { return nil }
        let point = try reader.point(after: cut)
        guard let chunk = point.last, chunk.number == cut else { throw point.damage ?? .gap(cut) }
        try store.put(Snapshot(after: chunk, bytes: point.state.encoded()))
        try store.put(Snapshot(after: last, bytes: end.state.encoded()))
        try store.prune(upTo: cut)
        return chunk.next
    }

    /// The last chunk that need not stay; nil when all must.
    private static func cut(
        _ store: any JournalStore, before last: Chunk, _ retention: Retention, _ now: Int64
    ) throws(JournalError) -> UInt64? {
        var cut: UInt64?
        var bytes = try store.size().chunkBytes
        try store.read(from: 1) { chunk throws(JournalError) in
            bytes -= chunk.bytes.count
            let isDispensable =
                switch retention {
                case .all: false
                case .age(let age): isOlder(chunk, than: age, now)
                // The chunk before made what stays small enough, or this one does.
                case .bytes(let most): bytes + chunk.bytes.count > most
                case .steps(let steps):
                    last.next > chunk.next && last.next - chunk.next >= UInt64(clamping: steps)
                }
            guard isDispensable, chunk.number < last.number else { return false }
            cut = chunk.number
            return true
        }
        return cut
    }

    /// Whether a chunk was committed longer ago than this.
    static func isOlder(_ chunk: Chunk, than age: Duration, _ now: Int64) -> Bool {
        let (seconds, attoseconds) = age.components
        let (nanoseconds, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return !overflows && now - chunk.time > nanoseconds + attoseconds / 1_000_000_000
    }
}

extension JournalError {
    /// A chunk that was there before is missing.
    fileprivate static func gap(_ number: UInt64) -> JournalError {
        JournalError(.damaged(position: 0), "damaged: chunk \(number) is missing")
    }
}
