import HostLoop
import HostLoopFlow
import Synchronization

/// The subscribers of a view model. They get its states in the order of subscription, one call at a time.
final class Audience<State: Sendable>: Sendable {
    /// Receives a state. Returns whether it wants further states.
    typealias Receive = @Sendable (State) -> Bool

    private final class Member: Sendable {
        let key: ObjectIdentifier
        weak let subscriber: (any AnyObject & Sendable)?
        let isOnMain: Bool
        let receive: Receive
        let isRemoved = Atomic<Bool>(false)

        init(_ subscriber: any AnyObject & Sendable, isOnMain: Bool, _ receive: @escaping Receive) {
            key = ObjectIdentifier(subscriber)
            self.subscriber = subscriber
            self.isOnMain = isOnMain
            self.receive = receive
        }
    }

    private enum Item: Sendable {
        case state(State)
        case begin(Member)
    }

    private struct Contents: Sendable {
        /// The subscribers. One that has begun has got its first state.
        var members: [(member: Member, hasBegun: Bool)] = []
        /// The newest state that was delivered.
        var newest: State
    }

    private let contents: Lock<Contents>
    private let delivery = SerialDelivery<Item>()
    /// Calls of subscribers that belong to the main actor.
    private let mainCalls = ExecutorQueue<@Sendable () -> Void>(on: .main, isAtOnce: true) { $0() }

    init(_ state: State) {
        contents = Lock(Contents(newest: state))
    }

    /// The number of subscribers, including released ones that no delivery has noticed yet.
    var count: Int { contents.withLock { $0.members.count } }

    /// Delivers a new state to all subscribers, after the current delivery.
    func deliver(_ state: State) {
        delivery.add(.state(state)) { deliver($0) }
    }

    /// Adds a subscriber, held weakly. It gets the newest state and then every later one. An existing
    /// subscriber is kept as it is.
    /// - Parameter isOnMain: Whether the main thread must call `receive`.
    func add(
        _ subscriber: any AnyObject & Sendable, onMain isOnMain: Bool = false, _ receive: @escaping Receive
    ) {
        let member = Member(subscriber, isOnMain: isOnMain, receive)
        let isNew = contents.withLock { contents in
            // A released object may have had the same address. So the reference that is loaded here is to
            // `subscriber` itself, and this is never its last release.
            guard
                !contents.members.contains(where: {
                    $0.member.key == member.key && $0.member.subscriber != nil
                })
            else { return false }
            contents.members.append((member, false))
            return true
        }
        if isNew { delivery.add(.begin(member)) { deliver($0) } }
    }

    /// Removes a subscriber. No call to it begins after this returns.
    func remove(_ subscriber: any AnyObject & Sendable) {
        let key = ObjectIdentifier(subscriber)
        remove { $0.key == key }
    }

    private func remove(where isRemoved: (Member) -> Bool) {
        let removed = contents.withLock { contents in
            let removed = contents.members.filter { isRemoved($0.member) }.map(\.member)
            contents.members.removeAll { isRemoved($0.member) }
            return removed
        }
        for member in removed { member.isRemoved.store(true, ordering: .releasing) }
    }

    private func deliver(_ item: Item) {
        switch item {
        case .state(let state):
            let (members, before) = contents.withLock { contents in
                let before = contents.newest
                contents.newest = state
                return (contents.members.filter(\.hasBegun).map(\.member), before)
            }
            withExtendedLifetime(before) {}
            for member in members { send(state, to: member) }
        case .begin(let member):
            let state = contents.withLock { contents in
                if let index = contents.members.firstIndex(where: { $0.member === member }) {
                    contents.members[index].hasBegun = true
                }
                return contents.newest
            }
            send(state, to: member)
        }
    }

    private func send(_ state: State, to member: Member) {
        if member.isOnMain {
            mainCalls.add { self.call(member, state) }
        } else {
            call(member, state)
        }
    }

    private func call(_ member: Member, _ state: State) {
        guard !member.isRemoved.load(ordering: .acquiring), !member.receive(state) else { return }
        remove { $0 === member }
    }
}
