import HostLoop
import Manifest

/// The gears of one run.
///
/// The loops of an app begin together. Messages wait until every loop that receives any is attached, so that
/// no message is lost because a loop began a little later than its sender. Used from any thread.
final class AppGears: Sendable {
    private struct Gate: Sendable {
        /// Receivers that are not attached yet: one for each gear of a loop.
        var unattached: Int
        /// Messages until all are attached, in order.
        var held: [AppMessage] = []
        /// Messages of an earlier process, with the loops that get them. They come first.
        var restored: [(message: AppMessage, loops: [Int])] = []
        var isOpen: Bool
        /// The number of messages of an earlier app that have no counterpart here.
        var untaken = 0
        /// Whether other gears have succeeded these.
        var isFollowed = false
        /// The newest gears that have succeeded these.
        var newest = Newest<AppGears>()
        /// How many successions have ended libraries. Addresses from before each of these are invalid.
        var addressChanges = 0
    }

    /// Where messages are watched.
    let tap = MessageTap()
    private let models: [GearModel]
    private let tally: AppTally
    /// By gear and message.
    private let tallies: [[MessageTally]]

    /// For each loop, the gears that it receives from, by their index in the manifest. Each loop has its own,
    /// so that it gets only the messages that it receives.
    private let gears: [[Int: Gear<AppMessage>]]
    // By gear and message: the gears of its receivers.
    private let routes: [[[Gear<AppMessage>]]]
    private let gate: Lock<Gate>

    convenience init(_ manifest: Manifest, tally: AppTally = AppTally()) {
        self.init(manifest.gears, between: manifest.loops, tally: tally)
    }

    /// - Parameters:
    ///   - loops: the loops that receive. A message without a receiver is dropped.
    ///   - tally: where messages are counted.
    init(_ models: [GearModel], between loops: [LoopModel], tally: AppTally = AppTally()) {
        let tallies = models.map { gear in
            gear.messages.map { tally.messageTally(gear.name, $0.name) }
        }
        let gears = loops.map { loop in
            Dictionary(
                uniqueKeysWithValues: Set(loop.receives.map(\.gear)).map { gear in
                    (
                        gear,
                        Gear<AppMessage>(replaying: models[gear].replay) { message, isDelivered in
                            tallies[message.gear][message.message].count(isDelivered: isDelivered)
                        }
                    )
                })
        }
        (self.models, self.tally, self.tallies) = (models, tally, tallies)
        routes = models.enumerated().map { gear, model in
            model.messages.indices.map { message in
                zip(loops, gears).compactMap { loop, own in
                    loop.receives.contains { $0.gear == gear && $0.message == message } ? own[gear] : nil
                }
            }
        }
        self.gears = gears
        let receivers = gears.reduce(0) { $0 + $1.count }
        gate = Lock(Gate(unattached: receivers, isOpen: receivers == 0))
    }

    /// A loop's own gear for the messages that it receives; both by their indices in the manifest.
    ///
    /// - Precondition: the loop receives a message of the gear.
    func gear(_ gear: Int, of loop: Int) -> Gear<AppMessage> {
        guard let own = gears[loop][gear] else { preconditionFailure("the loop receives from the gear") }
        return own
    }

    /// Passes a message on to every loop that receives it. It never waits, and runs nothing of a loop.
    func send(_ message: AppMessage) {
        tap.sent(message)
        put(message, isNew: true)
    }

    /// - Parameter isNew: false for a message that gears before have counted.
    private func put(_ message: AppMessage, isNew: Bool) {
        let (passes, followers) = gate.withLock { gate -> (Bool, (newest: Newest<AppGears>, Int)?) in
            guard !gate.isFollowed else { return (false, (gate.newest, gate.addressChanges)) }
            if !gate.isOpen { gate.held.append(message) }
            return (gate.isOpen, nil)
        }
        if isNew, followers == nil { tallies[message.gear][message.message].countSent() }
        if passes { pass(message) }
        // Without newest gears the app has ended.
        if let (newest, addressChanges) = followers {
            newest.object?.take(message, of: models, addressChanges)
        }
    }

    /// Passes a message of an earlier process on to some of the loops that receive it. Call it before the loops
    /// begin.
    func send(_ message: AppMessage, to loops: [Int]) {
        gate.withLock { $0.restored.append((message, loops)) }
    }

    /// Takes a message of gears before, which had these models and this count of `addressChanges`.
    private func take(_ message: AppMessage, of before: [GearModel], _ addressChanges: Int) {
        let addressesStayValid = gate.withLock { $0.addressChanges == addressChanges }
        let carried = EventCarry.messages(from: before, to: models, addressesStayValid: addressesStayValid)
        if let message = carried(message) { return send(message) }
        gate.withLock { $0.untaken += 1 }
        let gear = before[message.gear]
        let own = tally.messageTally(gear.name, gear.messages[message.message].name)
        own.countSent()
        own.count(isDelivered: false)
    }

    /// A gear of a loop, and the one that it succeeds, by their indices in the two manifests.
    struct Place {
        let loop: Int
        let gear: Int
        let before: (loop: Int, gear: Int)
    }

    /// Continues the gears of another app with their waiting messages. No loop of that app is in a step.
    ///
    /// - Parameters:
    ///   - places: the gears that a loop received from before, and receives from now.
    ///   - carried: a message in the terms of these gears; nil: it has no counterpart here, and is lost.
    ///   - addressesStayValid: whether addresses in messages are still valid.
    func succeed(
        _ other: AppGears, _ places: [Place], addressesStayValid: Bool,
        _ carried: @escaping @Sendable (AppMessage) -> AppMessage?
    ) {
        for place in places {
            gear(place.gear, of: place.loop).succeed(
                other.gear(place.before.gear, of: place.before.loop), carrying: carried)
        }
        let held = other.gate.withLock { before in
            gate.withLock { gate in
                gate.newest = before.newest
                gate.addressChanges = before.addressChanges + (addressesStayValid ? 0 : 1)
            }
            (before.isFollowed, before.newest.object) = (true, self)
            defer { before.held = [] }
            return before.held
        }
        let kept = held.compactMap { message in
            let carried = carried(message)
            if carried == nil { other.tallies[message.gear][message.message].count(isDelivered: false) }
            return carried
        }
        gate.withLock { $0.untaken += held.count - kept.count }
        for message in kept { put(message, isNew: false) }
    }

    /// A loop has attached itself to one of its gears.
    func attached() {
        let isLast = gate.withLock { gate in
            gate.unattached -= 1
            return gate.unattached == 0
        }
        guard isLast else { return }
        let restored = gate.withLock { gate in
            defer { gate.restored = [] }
            return gate.restored
        }
        for (message, loops) in restored {
            for loop in loops { gears[loop][message.gear]?.propagate(event: message) }
        }
        // A sender meanwhile adds to the held messages, so that its messages stay in order.
        while let held = takeHeld() {
            for message in held { pass(message) }
        }
    }

    private func pass(_ message: AppMessage) {
        for gear in routes[message.gear][message.message] { gear.propagate(event: message) }
    }

    private func takeHeld() -> [AppMessage]? {
        gate.withLock { gate in
            guard !gate.held.isEmpty else {
                gate.isOpen = true
                return nil
            }
            defer { gate.held = [] }
            return gate.held
        }
    }

    /// Whether a message is on its way to a loop.
    var hasUndelivered: Bool {
        gate.withLock { !$0.held.isEmpty || !$0.restored.isEmpty }
            || gears.joined().contains { $0.value.undelivered > 0 }
    }

    /// Messages that a loop did not get, counted for each loop.
    var lost: Int {
        gears.joined().reduce(gate.withLock { $0.held.count + $0.untaken }) { $0 + Int($1.value.dropped) }
    }
}
