public import Records

/// A request of a client: one line of the protocol.
public enum ControlRequest: Hashable, Sendable {
    /// The fields of an event.
    public enum Content: Hashable, Sendable {
        /// As JSON.
        case payload(Value)
        /// As texts, which the app converts to the types of the fields.
        case texts([Text])
    }

    /// One field as text.
    public struct Text: Hashable, Sendable {
        /// The field's name.
        public let name: String
        /// Its value as text.
        public let text: String

        /// A field and its value.
        public init(name: String, text: String) { (self.name, self.text) = (name, text) }
    }

    /// What the answer to `send` waits for.
    public enum Wait: String, Hashable, Sendable, CaseIterable {
        /// The entry of the event is committed in the app's journal.
        case durable
    }

    /// Queue an event in a loop; nil for the loop that declares such an event. Nil for `wait`: the answer waits for
    /// nothing.
    case send(event: String, loop: String?, Content, wait: Wait?)
    /// Return the state of a loop; nil for every loop.
    case state(loop: String?)
    /// Send the state of a loop and each new state from now on; nil for every loop. With `swaps`, send the
    /// outcome of each swap too.
    case watch(loop: String?, swaps: Bool)
    /// Swap a plugin, if its library has changed.
    case swap(plugin: String)
    /// Read the manifest again, and continue with it if it has no faults.
    case reload
    /// Return the metrics of the plugins.
    case metrics
    /// Return the counters of a loop; nil for every loop and for the whole app.
    case counters(loop: String?)

    /// The greatest length of a line in bytes, without its line end.
    static let maximumLength = 1 << 20

    // The requests and their keys. A new request must be added here, in `request(_:_:)`, and in
    // `ControlTarget`.
    private static let keys: [(name: String, keys: [String])] = [
        ("send", ["event", "loop", "payload", "fields", "wait"]), ("state", ["loop"]),
        ("watch", ["loop", "swaps"]),
        ("swap", ["plugin"]), ("reload", []), ("metrics", []), ("counters", ["loop"]),
    ]

    /// Reads a line.
    ///
    /// - Throws: `ControlFault`, which names what was expected.
    init(line: ArraySlice<UInt8>) throws(ControlFault) {
        guard let text = String(validating: line, as: UTF8.self) else {
            throw ControlFault(.invalidJSON, "the line is not UTF-8")
        }
        let value: Value
        do { value = try Value(json: text) } catch {
            throw ControlFault(.invalidJSON, error.message, help: [Self.example])
        }
        guard case .map(let entries) = value else {
            throw ControlFault(
                .wrongType, "a request must be an object, found \(value.kind)", help: [Self.example])
        }
        guard let name = try Self.text("request", of: value) else {
            throw ControlFault(.missingKey, "the key `request` is missing", help: [Self.example])
        }
        guard let known = Self.keys.first(where: { $0.name == name })?.keys else {
            throw ControlFault(
                .unknownRequest, "unknown request `\(name)`", of: name, among: Self.keys.map(\.name),
                called: "the requests")
        }
        for entry in entries {
            guard case .string(let key) = entry.key, key != "request", !known.contains(key) else { continue }
            throw ControlFault(
                .unknownKey, "`\(name)` has no key `\(key)`", of: key, among: known, called: "its keys")
        }
        self = try Self.request(name, value)
    }

    private static let example = "a request is one line such as `{\"request\":\"state\"}`"

    private static func request(_ name: String, _ value: Value) throws(ControlFault) -> ControlRequest {
        let loop = try text("loop", of: value)
        switch name {
        case "state": return .state(loop: loop)
        case "watch": return .watch(loop: loop, swaps: try flag("swaps", of: value))
        case "reload": return .reload
        case "metrics": return .metrics
        case "counters": return .counters(loop: loop)
        case "swap":
            guard let plugin = try text("plugin", of: value) else {
                throw ControlFault(
                    .missingKey, "`swap` needs the key `plugin`",
                    help: ["write the name that the plugin has in the manifest"])
            }
            return .swap(plugin: plugin)
        default:
            guard let event = try text("event", of: value) else {
                throw ControlFault(
                    .missingKey, "`send` needs the key `event`", help: ["write the name of the event to send"]
                )
            }
            return .send(event: event, loop: loop, try content(of: value), wait: try wait(of: value))
        }
    }

    private static func wait(of value: Value) throws(ControlFault) -> Wait? {
        guard let text = try text("wait", of: value) else { return nil }
        if let wait = Wait(rawValue: text) { return wait }
        throw ControlFault(
            .wrongType, "`wait` can only be `durable`, found `\(text)`",
            help: ["without `wait`, the answer comes when the event is queued"])
    }

    private static func content(of value: Value) throws(ControlFault) -> Content {
        let (payload, fields) = (value["payload"], value["fields"])
        if payload != nil, fields != nil {
            throw ControlFault(
                .unknownKey, "`send` takes `payload` or `fields`, not both",
                help: ["`payload` is JSON; the values of `fields` are texts, as on the command line"])
        }
        guard let fields else {
            guard let payload else { return .payload(.map([])) }
            guard case .map = payload else {
                throw ControlFault(.wrongType, "`payload` must be an object, found \(payload.kind)")
            }
            return .payload(payload)
        }
        guard case .map(let entries) = fields else {
            throw ControlFault(.wrongType, "`fields` must be an object, found \(fields.kind)")
        }
        var texts: [Text] = []
        for entry in entries {
            guard case .string(let name) = entry.key else { continue }
            guard case .string(let text) = entry.value else {
                throw ControlFault(
                    .wrongType, "`fields.\(name)` must be a string, found \(entry.value.kind)",
                    help: ["use `payload` for values of other types"])
            }
            texts.append(Text(name: name, text: text))
        }
        return .texts(texts)
    }

    private static func flag(_ key: String, of value: Value) throws(ControlFault) -> Bool {
        switch value[key] {
        case nil: return false
        case .bool(let flag)?: return flag
        case let other?: throw ControlFault(.wrongType, "`\(key)` must be a bool, found \(other.kind)")
        }
    }

    private static func text(_ key: String, of value: Value) throws(ControlFault) -> String? {
        guard let found = value[key] else { return nil }
        guard case .string(let text) = found else {
            throw ControlFault(.wrongType, "`\(key)` must be a string, found \(found.kind)")
        }
        return text
    }
}

extension ControlRequest {
    /// The line of the protocol, without its line end.
    public var json: String {
        let (name, loop, rest): (String, String?, [(String, Value)])
        switch self {
        case .state(let of): (name, loop, rest) = ("state", of, [])
        case .watch(let of, let swaps):
            (name, loop, rest) = ("watch", of, swaps ? [("swaps", .bool(true))] : [])
        case .reload: (name, loop, rest) = ("reload", nil, [])
        case .metrics: (name, loop, rest) = ("metrics", nil, [])
        case .counters(let of): (name, loop, rest) = ("counters", of, [])
        case .swap(let plugin): (name, loop, rest) = ("swap", nil, [("plugin", .string(plugin))])
        case .send(let event, let of, let content, let wait):
            let fields: (String, Value) =
                switch content {
                case .payload(let payload): ("payload", payload)
                case .texts(let texts): ("fields", .record(texts.map { ($0.name, .string($0.text)) }))
                }
            let waits = wait.map { [("wait", Value.string($0.rawValue))] } ?? []
            (name, loop, rest) = ("send", of, [("event", .string(event)), fields] + waits)
        }
        let named = loop.map { [("loop", Value.string($0))] } ?? []
        return Value.record([("request", .string(name))] + rest + named).json
    }
}
