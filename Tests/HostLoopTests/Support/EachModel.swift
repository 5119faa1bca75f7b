import TestSupport

/// A naive model of `onEach`: lists, searched from the front.
struct EachModel {
    enum Form: CaseIterable { case array, set, dictionary }

    /// The actions of a call: always the same for one seed and one call.
    struct Play {
        var events: [RequestLoop.Event] = []
        var fails = false
        var isPending = false

        init(seed: UInt64, _ ask: RequestLoop.Request, of number: UInt64, isUpdate: Bool) {
            var random = SeededGenerator(
                seed: seed << 32 ^ number << 8 ^ UInt64(ask.value) << 2 ^ (isUpdate ? 1 : 0))
            for index in 0..<Int.random(in: 0...3, using: &random) {
                // Requests of runs beyond some number would never end.
                let asks = !isUpdate && number < 60 && Int.random(in: 0..<5, using: &random) == 0
                events.append(
                    asks
                        ? .ask(EachModel.asks(using: &random))
                        : .heard("\(ask.key)\(ask.value)-\(index) of \(number)"))
            }
            fails = Int.random(in: 0..<6, using: &random) == 0
            isPending = !fails && Bool.random(using: &random)
        }
    }

    private struct Member {
        var ask: RequestLoop.Request
        var number: UInt64
        var takesUpdates: Bool
    }

    private struct Entry {
        var owner: UInt64?
        var events: [RequestLoop.Event]
        /// The key whose next run reuses the position.
        var place: String?
    }

    let form: Form
    let seed: UInt64
    private(set) var lines: [String] = []
    /// Pending runs that were not cancelled.
    private var pending: Set<UInt64> = []
    /// Pending runs, cancelled or not.
    private(set) var running: Set<UInt64> = []
    private var asks: [RequestLoop.Request] = []
    private var members: [Member] = []
    private var queue: [Entry] = []
    private var last: UInt64 = 0

    init(form: Form, seed: UInt64) {
        self.form = form
        self.seed = seed
    }

    static func asks(using random: inout SeededGenerator) -> [RequestLoop.Request] {
        (0..<Int.random(in: 0...5, using: &random)).map { _ in
            RequestLoop.Request(
                key: ["a", "b", "c", "d", "e", "f", "g", "h", "i"].randomElement(using: &random)!,
                value: Int.random(in: 0..<3, using: &random))
        }
    }

    mutating func take(_ events: [RequestLoop.Event]) {
        queue.append(Entry(owner: nil, events: events))
        // The state after `together`.
        change()
        drain()
    }

    mutating func emit(_ text: String, from number: UInt64) {
        guard pending.contains(number) else { return lines.append("late \(text) of \(number)") }
        queue.append(Entry(owner: number, events: [.heard(text)]))
        drain()
    }

    mutating func finish(_ number: UInt64) {
        if pending.remove(number) != nil { lines.append("end \(number)") }
        running.remove(number)
    }

    private mutating func drain() {
        while !queue.isEmpty {
            for event in queue.removeFirst().events {
                lines.append("step \(event)")
                if case .ask(let asks) = event { self.asks = asks }
                change()
            }
        }
    }

    private mutating func change() {
        var asks = requests
        if Set(asks.map(\.key)).count < asks.count {
            lines.append("fault of 0")
            asks = []
        }
        for member in form == .array ? members : members.sorted(by: { $0.ask.key < $1.ask.key }) {
            guard let ask = asks.first(where: { $0.key == member.ask.key }) else {
                end(member, isReplaced: false)
                continue
            }
            if ask != member.ask, form == .array { end(member, isReplaced: true) }
        }
        let old = members
        members = []
        for ask in asks {
            if var member = old.first(where: { $0.ask.key == ask.key }), member.ask == ask || form != .array {
                if member.ask != ask, member.takesUpdates { update(member.number, ask) }
                member.ask = ask
                members.append(member)
            } else {
                start(ask)
            }
        }
        queue.removeAll { $0.place != nil }
    }

    private var requests: [RequestLoop.Request] {
        var newest: [String: RequestLoop.Request] = [:]
        for ask in asks { newest[ask.key] = ask }
        let unique = newest.values.sorted { $0.key < $1.key }
        return switch form {
        case .array: asks
        case .set: unique.map { RequestLoop.Request(key: $0.key, value: 0) }
        case .dictionary: unique
        }
    }

    private mutating func end(_ member: Member, isReplaced: Bool) {
        var place: String? = isReplaced ? member.ask.key : nil
        for entry in queue where entry.owner == member.number {
            lines += entry.events.map { "withdrawn \($0) of \(member.number)" }
        }
        queue = queue.compactMap { entry in
            guard entry.owner == member.number else { return entry }
            defer { place = nil }
            return place.map { Entry(owner: nil, events: [], place: $0) }
        }
        if pending.remove(member.number) != nil { lines.append("cancel \(member.number)") }
    }

    private mutating func start(_ ask: RequestLoop.Request) {
        last += 1
        lines.append("run \(last)")
        let play = Play(seed: seed, ask, of: last, isUpdate: false)
        queueEntry(of: last, play.events, place: queue.firstIndex { $0.place == ask.key })
        if play.fails { lines.append("fault of \(last)") }
        if play.isPending {
            pending.insert(last)
            running.insert(last)
        } else {
            lines.append("end \(last)")
        }
        members.append(Member(ask: ask, number: last, takesUpdates: !play.fails))
    }

    private mutating func queueEntry(of number: UInt64, _ events: [RequestLoop.Event], place: Int?) {
        guard !events.isEmpty else { return }
        let entry = Entry(owner: number, events: events)
        if let place { queue[place] = entry } else { queue.append(entry) }
    }

    private mutating func update(_ number: UInt64, _ ask: RequestLoop.Request) {
        let play = Play(seed: seed, ask, of: number, isUpdate: true)
        queueEntry(of: number, play.events, place: nil)
        if play.fails { lines.append("fault of \(number)") }
    }
}
