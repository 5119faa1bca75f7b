import Foundation
import Journal
import TestSupport

extension JournalHeader {
    static let levels = JournalHeader(
        id: "000102030405060708090a0b0c0d0e0f", app: "levels", created: 1_700_000_000, writer: "spinhost 1.0")
}

extension SQLiteStore {
    /// A store that writes to a file, and makes it.
    convenience init(writing path: String, _ durability: Durability = .off) throws(JournalError) {
        try self.init(path: path, .write(create: .levels, durability: durability))
    }
}

extension JournalStore {
    /// Appends chunks with bytes that tell them apart.
    func append(_ count: Int, size: Int = 20) throws(JournalError) {
        for _ in 0..<count {
            let before = try last()
            let number = (before?.number ?? 0) + 1
            try append(
                Chunk(
                    after: before, count: 2, time: Int64(number),
                    bytes: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size)))
        }
    }

    /// All chunks from a number on.
    func chunks(from number: UInt64 = 1) throws(JournalError) -> [Chunk] {
        var chunks: [Chunk] = []
        try read(from: number) { chunk in
            chunks.append(chunk)
            return true
        }
        return chunks
    }

    /// The chunks from the first on that are whole and follow each other. An error ends them.
    func wholePrefix() -> [Chunk] {
        var whole: [Chunk] = []
        try? read(from: 1) { chunk in
            guard chunk.follows(whole.last) else { return false }
            whole.append(chunk)
            return true
        }
        return whole
    }
}

/// The kind and the text of the error of a call; nil if it succeeds.
func failure(_ body: () throws(JournalError) -> Void) -> JournalError? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}
