public import Records

/// What a client asks for: one line of the protocol.
public enum ControlRequest: Hashable, Sendable {
    /// The fields of an event.
    public enum Content: Hashable, Sendable {
        /// As JSON.
        case payload(Value)
        /// As texts, each to be read as the type of its field.
        case texts([Text])
    }

    /// One field as text.
    public struct Text: Hashable, Sendable {
        /// The field.
        public let name: String
        /// What is to be read.
        public let text: String

        /// One field.
        public init(name: String, text: String) { (self.name, self.text) = (name, text) }
    }

    /// An event is to be queued. Without loop for the one that has such an event.
    case send(event: String, loop: String?, Content)
    /// The state of a loop, or of every loop.
    case state(loop: String?)
    /// The state of a loop, or of every loop, and each new one from now on; and what becomes of swaps, if that is wanted.
    case watch(loop: String?, swaps: Bool)
    /// A plugin is to be swapped, if its library has changed.
    case swap(plugin: String)

    /// Longer lines are refused, their line end apart.
    static let maximumLength = 1 << 20

    // The requests, and the keys of each. A new request belongs here, into `init(fields:)`, and into `ControlTarget`.
    private static let keys: [(name: String, keys: [String])] = [
        ("send", ["event", "loop", "payload", "fields"]), ("state", ["loop"]), ("watch", ["loop", "swaps"]),
        ("swap", ["plugin"]),
    ]

    /// Reads a line.
    ///
    /// - Throws: `ControlFault` that says what was expected.
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
                .wrongType, "a request is an object, not a \(value.kind)", help: [Self.example])
        }
        guard let name = try Self.text("request", of: value) else {
            throw ControlFault(.missingKey, "there is no `request`", help: [Self.example])
        }
        guard let known = Self.keys.first(where: { $0.name == name })?.keys else {
            throw ControlFault(
                .unknownRequest, "there is no request `\(name)`", of: name, among: Self.keys.map(\.name),
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
        case "swap":
            guard let plugin = try text("plugin", of: value) else {
                throw ControlFault(
                    .missingKey, "`swap` has no `plugin`", help: ["it names the plugin as the manifest does"])
            }
            return .swap(plugin: plugin)
        default:
            guard let event = try text("event", of: value) else {
                throw ControlFault(.missingKey, "`send` has no `event`", help: ["it names the event to send"])
            }
            return .send(event: event, loop: loop, try content(of: value))
        }
    }

    private static func content(of value: Value) throws(ControlFault) -> Content {
        let (payload, fields) = (value["payload"], value["fields"])
        if payload != nil, fields != nil {
            throw ControlFault(
                .unknownKey, "`send` has `payload` or `fields`, not both",
                help: ["`payload` is JSON; the values of `fields` are texts, as on the command line"])
        }
        guard let fields else {
            guard let payload else { return .payload(.map([])) }
            guard case .map = payload else {
                throw ControlFault(.wrongType, "`payload` is an object, not a \(payload.kind)")
            }
            return .payload(payload)
        }
        guard case .map(let entries) = fields else {
            throw ControlFault(.wrongType, "`fields` is an object, not a \(fields.kind)")
        }
        var texts: [Text] = []
        for entry in entries {
            guard case .string(let name) = entry.key else { continue }
            guard case .string(let text) = entry.value else {
                throw ControlFault(
                    .wrongType, "`fields.\(name)` is a string, not a \(entry.value.kind)",
                    help: ["`payload` takes values of any type"])
            }
            texts.append(Text(name: name, text: text))
        }
        return .texts(texts)
    }

    private static func flag(_ key: String, of value: Value) throws(ControlFault) -> Bool {
        switch value[key] {
        case nil: return false
        case .bool(let flag)?: return flag
        case let other?: throw ControlFault(.wrongType, "`\(key)` is a bool, not a \(other.kind)")
        }
    }

    private static func text(_ key: String, of value: Value) throws(ControlFault) -> String? {
        guard let found = value[key] else { return nil }
        guard case .string(let text) = found else {
            throw ControlFault(.wrongType, "`\(key)` is a string, not a \(found.kind)")
        }
        return text
    }
}

extension ControlRequest {
    /// The line of the protocol, without its end.
    public var json: String {
        let (name, loop, rest): (String, String?, [(String, Value)])
        switch self {
        case .state(let of): (name, loop, rest) = ("state", of, [])
        case .watch(let of, let swaps):
            (name, loop, rest) = ("watch", of, swaps ? [("swaps", .bool(true))] : [])
        case .swap(let plugin): (name, loop, rest) = ("swap", nil, [("plugin", .string(plugin))])
        case .send(let event, let of, let content):
            let fields: (String, Value) =
                switch content {
                case .payload(let payload): ("payload", payload)
                case .texts(let texts): ("fields", .record(texts.map { ($0.name, .string($0.text)) }))
                }
            (name, loop, rest) = ("send", of, [("event", .string(event)), fields])
        }
        let named = loop.map { [("loop", Value.string($0))] } ?? []
        return Value.record([("request", .string(name))] + rest + named).json
    }
}
