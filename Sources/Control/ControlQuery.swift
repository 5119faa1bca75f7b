public import Records

/// A question of version 2 that the app answers once.
public enum ControlQuery: Hashable, Sendable {
    /// A place in the past of an app.
    public enum Place: Hashable, Sendable {
        /// After the entry at a position.
        case position(UInt64)
        /// After a step of a loop.
        case step(UInt64, of: String)
    }

    /// Steps of the past.
    public struct Steps: Hashable, Sendable {
        /// Only steps of this loop; nil for all loops.
        public var loop: String?
        /// The first and the last position; nil for as far as the past is known.
        public var from: UInt64?, to: UInt64?
        /// The greatest number of steps. Without `from`, the newest ones are returned.
        public var limit = 100
        /// An expression in CEL: only steps for which it is true.
        public var filter: String?

        /// The newest steps of all loops.
        public init() {}
    }

    /// An event of a branch.
    public struct Event: Hashable, Sendable {
        /// The event's name.
        public let event: String
        /// The loop; nil for the only one with such an event.
        public let loop: String?
        /// Its fields, as JSON.
        public let payload: Value
    }

    /// The forms of an export.
    public enum Form: String, CaseIterable, Sendable {
        /// A `[[tests]]` entry of a manifest.
        case test
        /// The lines of a recording.
        case jsonl
    }

    /// What the app consists of.
    case graph
    /// Steps that were made.
    case steps(Steps)
    /// The states of all loops at a place.
    case at(Place)
    /// What differs between two places.
    case diff(from: Place, to: Place)
    /// The runs that last now, of a loop or of all.
    case runs(loop: String?)
    /// The plugins and their versions.
    case plugins
    /// Why a feedback runs now, or does not.
    case why(feedback: String, loop: String?)
    /// The states that the declared reducers make of events from a place on. Nothing is called.
    case fork(at: Place, events: [Event])
    /// Steps of a loop in another form.
    case export(Form, loop: String?, from: UInt64, to: UInt64)

    /// The greatest number of steps in one answer, and of events of a branch.
    static let mostSteps: UInt64 = 1000

    /// The requests and their keys.
    static let keys: [(name: String, keys: [String])] = [
        ("graph", []), ("steps", ["loop", "from", "to", "limit", "filter"]),
        ("at", ["position", "loop", "step"]), ("diff", ["from", "to"]), ("runs", ["loop"]),
        ("plugins", []), ("why", ["loop", "feedback"]), ("fork", ["position", "loop", "step", "events"]),
        ("export", ["form", "loop", "from", "to"]),
    ]

    /// Nil for another request.
    init?(_ name: String, _ value: Value) throws(ControlFault) {
        let loop = { () throws(ControlFault) in try ControlRequest.text("loop", of: value) }
        switch name {
        case "graph": self = .graph
        case "plugins": self = .plugins
        case "runs": self = .runs(loop: try loop())
        case "steps": self = .steps(try Self.steps(value))
        case "at": self = .at(try Self.place(value, of: name))
        case "diff":
            self = .diff(from: try Self.place("from", of: value), to: try Self.place("to", of: value))
        case "why":
            guard let feedback = try ControlRequest.text("feedback", of: value) else {
                throw Self.missing("feedback", of: name, "write the name of the feedback")
            }
            self = .why(feedback: feedback, loop: try loop())
        case "fork": self = .fork(at: try Self.place(value, of: name), events: try Self.events(of: value))
        case "export":
            guard let form = try ControlRequest.text("form", of: value).map({ Form(rawValue: $0) }) ?? nil
            else {
                throw Self.missing("form", of: name, "write `test` or `jsonl`")
            }
            guard let from = try ControlRequest.number("from", of: value),
                let to = try ControlRequest.number("to", of: value), from > 0, from <= to
            else {
                throw Self.missing("from", of: name, "write the first and the last step, from 1 on")
            }
            guard to - from < Self.mostSteps else {
                throw ControlFault(.wrongType, "`export` takes at most \(Self.mostSteps) steps")
            }
            self = .export(form, loop: try loop(), from: from, to: to)
        default: return nil
        }
    }

    private static func missing(_ key: String, of name: String, _ help: String) -> ControlFault {
        ControlFault(.missingKey, "`\(name)` needs the key `\(key)`", help: [help])
    }

    private static func steps(_ value: Value) throws(ControlFault) -> Steps {
        var steps = Steps()
        steps.loop = try ControlRequest.text("loop", of: value)
        steps.from = try ControlRequest.number("from", of: value)
        steps.to = try ControlRequest.number("to", of: value)
        steps.filter = try ControlRequest.text("filter", of: value)
        if let limit = try ControlRequest.number("limit", of: value) {
            guard (1...mostSteps).contains(limit) else {
                throw ControlFault(.wrongType, "`limit` must be from 1 to \(mostSteps), found \(limit)")
            }
            steps.limit = Int(limit)
        }
        return steps
    }

    private static func place(_ key: String, of value: Value) throws(ControlFault) -> Place {
        guard let place = value[key] else {
            throw missing(key, of: "diff", "write a place such as `{\"loop\":\"door\",\"step\":3}`")
        }
        guard case .map = place else {
            throw ControlFault(
                .wrongType, "`\(key)` must be an object, found \(place.kind)",
                help: ["write `{\"position\":17}` or `{\"loop\":\"door\",\"step\":3}`"])
        }
        return try self.place(place, of: key)
    }

    private static func place(_ value: Value, of name: String) throws(ControlFault) -> Place {
        let position = try ControlRequest.number("position", of: value)
        let step = try ControlRequest.number("step", of: value)
        let loop = try ControlRequest.text("loop", of: value)
        switch (position, step, loop) {
        case (let position?, nil, nil): return .position(position)
        case (nil, let step?, let loop?): return .step(step, of: loop)
        default:
            throw ControlFault(
                .missingKey, "`\(name)` needs the key `position`, or `loop` and `step`",
                help: ["`steps` returns the positions of steps"])
        }
    }

    private static func events(of value: Value) throws(ControlFault) -> [Event] {
        guard case .list(let entries)? = value["events"] else {
            throw missing("events", of: "fork", "write a list such as `[{\"event\":\"shut\"}]`")
        }
        guard entries.count <= mostSteps else {
            throw ControlFault(.wrongType, "`fork` takes at most \(mostSteps) events")
        }
        var events: [Event] = []
        for entry in entries {
            guard case .map = entry, let name = try ControlRequest.text("event", of: entry) else {
                throw ControlFault(
                    .wrongType, "each of `events` must be an object with the key `event`",
                    help: ["write `{\"event\":\"shut\"}`, with `loop` and `payload` if they are needed"])
            }
            events.append(
                Event(
                    event: name, loop: try ControlRequest.text("loop", of: entry),
                    payload: entry["payload"] ?? .map([])))
        }
        return events
    }
}

extension ControlQuery {
    /// The name of the request.
    var name: String {
        switch self {
        case .graph: "graph"
        case .steps: "steps"
        case .at: "at"
        case .diff: "diff"
        case .runs: "runs"
        case .plugins: "plugins"
        case .why: "why"
        case .fork: "fork"
        case .export: "export"
        }
    }

    /// The keys of the request.
    var fields: [(String, Value)] {
        switch self {
        case .graph, .plugins: []
        case .steps(let steps):
            Self.text("loop", steps.loop) + Self.number("from", steps.from) + Self.number("to", steps.to)
                + [("limit", .int(Int64(steps.limit)))] + Self.text("filter", steps.filter)
        case .at(let place): place.fields
        case .diff(let from, let to): [("from", .record(from.fields)), ("to", .record(to.fields))]
        case .runs(let loop): Self.text("loop", loop)
        case .why(let feedback, let loop): [("feedback", .string(feedback))] + Self.text("loop", loop)
        case .fork(let place, let events):
            place.fields + [
                (
                    "events",
                    .list(
                        events.map {
                            .record(
                                [("event", .string($0.event)), ("payload", $0.payload)]
                                    + Self.text("loop", $0.loop))
                        })
                )
            ]
        case .export(let form, let loop, let from, let to):
            [("form", .string(form.rawValue))] + Self.text("loop", loop) + Self.number("from", from)
                + Self.number("to", to)
        }
    }

    private static func text(_ key: String, _ text: String?) -> [(String, Value)] {
        text.map { [(key, .string($0))] } ?? []
    }

    private static func number(_ key: String, _ number: UInt64?) -> [(String, Value)] {
        number.map { [(key, .int(Int64(clamping: $0)))] } ?? []
    }
}

extension ControlQuery.Place {
    fileprivate var fields: [(String, Value)] {
        switch self {
        case .position(let position): [("position", .int(Int64(clamping: position)))]
        case .step(let step, let loop): [("loop", .string(loop)), ("step", .int(Int64(clamping: step)))]
        }
    }
}
