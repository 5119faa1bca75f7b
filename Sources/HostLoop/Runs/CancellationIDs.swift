/// What can be cancelled by an id within one loop.
///
/// Ids are the user's: they are hashed and compared outside the lock.
@usableFromInline
package final class CancellationIDs: Sendable {
    /// An id of any type; ids of different types differ.
    package struct ID: Hashable, Sendable {
        private let value: any Hashable & Sendable

        package init(_ value: some Hashable & Sendable) {
            self.value = value
        }

        package static func == (lhs: ID, rhs: ID) -> Bool {
            type(of: lhs.value) == type(of: rhs.value) && AnyHashable(lhs.value) == AnyHashable(rhs.value)
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(type(of: value)))
            hasher.combine(AnyHashable(value))
        }
    }

    /// Names an entry, for taking it back.
    package struct Ticket: Sendable {
        fileprivate let hash: Int
        fileprivate let number: UInt64
    }

    private struct Entry: Sendable {
        let number: UInt64
        let id: ID
        let cancel: @Sendable () -> Void
    }

    private struct Book: Sendable {
        var issued: UInt64 = 0
        var entries: [Int: [Entry]] = [:]
    }

    private let book = Lock(Book())

    package init() {}

    var isEmpty: Bool { book.withLock { $0.entries.isEmpty } }

    /// - Parameter cancel: Must bear being called more than once.
    package func add(_ id: ID, cancel: @escaping @Sendable () -> Void) -> Ticket {
        let hash = id.hashValue
        return book.withLock { book in
            book.issued += 1
            book.entries[hash, default: []].append(Entry(number: book.issued, id: id, cancel: cancel))
            return Ticket(hash: hash, number: book.issued)
        }
    }

    package func remove(_ ticket: Ticket) {
        let removed = book.withLock { book -> Entry? in
            guard let index = book.entries[ticket.hash]?.firstIndex(where: { $0.number == ticket.number })
            else { return nil }
            let removed = book.entries[ticket.hash]?.remove(at: index)
            if book.entries[ticket.hash]?.isEmpty == true { book.entries[ticket.hash] = nil }
            return removed
        }
        withExtendedLifetime(removed) {}
    }

    /// Cancels everything with this id, in the order of adding.
    package func cancel(_ id: ID) {
        let hash = id.hashValue
        let candidates = book.withLock { $0.entries[hash] ?? [] }
        for entry in candidates where entry.id == id { entry.cancel() }
    }
}
