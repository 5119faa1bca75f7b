import HostLoop
import HostLoopFlow
import Synchronization

/// Those who are told of the states of a view model, in the order of their subscription, one call at a time.
final class Audience<State: Sendable>: Sendable {
    /// Answers whether it wants to be told again.
    typealias Receive = @Sendable (State) -> Bool

    private final class Member: Sendable {
        let key: ObjectIdentifier
        weak let subscriber: (any AnyObject & Sendable)?
        let receive: Receive
        let hasLeft = Atomic<Bool>(false)

        init(_ subscriber: any AnyObject & Sendable, _ receive: @escaping Receive) {
            key = ObjectIdentifier(subscriber)
            self.subscriber = subscriber
            self.receive = receive
        }
    }

    private enum Item: Sendable {
        case state(State)
        case begin(Member)
    }

    private struct Book: Sendable {
        /// Everyone who has not left, told of a state yet or not.
        var members: [(member: Member, hasBegun: Bool)] = []
        /// The newest state that was told.
        var told: State
    }

    private let book: Lock<Book>
    private let delivery = SerialDelivery<Item>()

    init(_ state: State) {
        book = Lock(Book(told: state))
    }

    /// How many there are, those included who are gone without anyone having noticed.
    var count: Int { book.withLock { $0.members.count } }

    /// Tells everyone a new state, after what is being told just now.
    func tell(_ state: State) {
        delivery.add(.state(state)) { deliver($0) }
    }

    /// Adds a subscriber, held weakly, which is told the newest state and then every later one; one that is
    /// there already stays as it is.
    func add(_ subscriber: any AnyObject & Sendable, _ receive: @escaping Receive) {
        let member = Member(subscriber, receive)
        let isNew = book.withLock { book in
            // Another object that was at this place in memory is gone: so what is loaded is `subscriber`, and
            // never released for the last time here.
            guard
                !book.members.contains(where: { $0.member.key == member.key && $0.member.subscriber != nil })
            else { return false }
            book.members.append((member, false))
            return true
        }
        if isNew { delivery.add(.begin(member)) { deliver($0) } }
    }

    /// Forgets a subscriber: no call to it begins afterwards.
    func remove(_ subscriber: any AnyObject & Sendable) {
        let key = ObjectIdentifier(subscriber)
        remove { $0.key == key }
    }

    private func remove(where leaves: (Member) -> Bool) {
        let leaving = book.withLock { book in
            let leaving = book.members.filter { leaves($0.member) }.map(\.member)
            book.members.removeAll { leaves($0.member) }
            return leaving
        }
        for member in leaving { member.hasLeft.store(true, ordering: .releasing) }
    }

    private func deliver(_ item: Item) {
        switch item {
        case .state(let state):
            let (members, before) = book.withLock { book in
                let before = book.told
                book.told = state
                return (book.members.filter(\.hasBegun).map(\.member), before)
            }
            withExtendedLifetime(before) {}
            for member in members { tell(state, to: member) }
        case .begin(let member):
            let state = book.withLock { book in
                if let index = book.members.firstIndex(where: { $0.member === member }) {
                    book.members[index].hasBegun = true
                }
                return book.told
            }
            tell(state, to: member)
        }
    }

    private func tell(_ state: State, to member: Member) {
        guard !member.hasLeft.load(ordering: .acquiring), !member.receive(state) else { return }
        remove { $0 === member }
    }
}
