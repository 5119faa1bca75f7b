/// The runs and flows of one loop that can be cancelled by an id.
///
/// The user defines the ids, so their hashing and comparison run outside the lock.
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

    /// Names an entry, so that it can be removed.
    package struct Ticket: Sendable {
        fileprivate let hash: Int
        fileprivate let number: UInt64
    }

    private struct Entry: Sendable {
        let number: UInt64
        let id: ID
        let cancel: @Sendable () -> Void
    }

    private struct Contents: Sendable {
        var issued: UInt64 = 0
        var entries: [Int: [Entry]] = [:]
    }

    private let contents = Lock(Contents())

    package init() {}

    var isEmpty: Bool { contents.withLock { $0.entries.isEmpty } }

    /// Adds an entry.
    /// - Parameter cancel: May be called more than once.
    package func add(_ id: ID, cancel: @escaping @Sendable () -> Void) -> Ticket {
        let hash = id.hashValue
        return contents.withLock { contents in
            contents.issued += 1
            contents.entries[hash, default: []].append(Entry(number: contents.issued, id: id, cancel: cancel))
            return Ticket(hash: hash, number: contents.issued)
        }
    }

    package func remove(_ ticket: Ticket) {
        let removed = contents.withLock { contents -> Entry? in
            guard let index = contents.entries[ticket.hash]?.firstIndex(where: { $0.number == ticket.number })
            else { return nil }
            let removed = contents.entries[ticket.hash]?.remove(at: index)
            if contents.entries[ticket.hash]?.isEmpty == true { contents.entries[ticket.hash] = nil }
            return removed
        }
        withExtendedLifetime(removed) {}
    }

    /// Cancels everything with this id, in the order in which it was added.
    package func cancel(_ id: ID) {
        let hash = id.hashValue
        let candidates = contents.withLock { $0.entries[hash] ?? [] }
        for entry in candidates where entry.id == id { entry.cancel() }
    }
}
