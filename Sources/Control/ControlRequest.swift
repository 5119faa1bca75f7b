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

    /// A loop, and an instance of it.
    public struct Place: Hashable, Sendable {
        /// The loop's name; nil if it is not named.
        public let loop: String?
        /// The key of the instance, as JSON or as text that is converted to the key's type; nil for none.
        public let key: Value?

        /// A loop, or an instance of it.
        public init(loop: String?, key: Value? = nil) { (self.loop, self.key) = (loop, key) }
    }

    /// A part of the instances of a loop with a key, in the order in which they were made.
    public struct Page: Hashable, Sendable {
        /// The instances after this place, which the answer before has as `next`; 0: from the first one on.
        public let after: UInt64
        /// The greatest number of instances.
        public let limit: Int

        /// The first instances.
        public static let first = Page(after: 0, limit: 100)
        /// The greatest limit.
        public static let most = 1000

        /// A part of the instances.
        public init(after: UInt64, limit: Int) { (self.after, self.limit) = (after, limit) }
    }

    /// What the answer to `send` waits for.
    public enum Wait: String, Hashable, Sendable, CaseIterable {
        /// The entry of the event is committed in the app's journal.
        case durable
    }

    /// Queue an event in a loop or instance; without a name, in the loop that declares such an event. Nil for `wait`: the
    /// answer waits for nothing.
    case send(event: String, Place, Content, wait: Wait?)
    /// Return the state of a loop or instance; without a name, of every loop. For a loop with a key alone, return some of
    /// its instances.
    case state(Place, Page)
    /// Send the state of a loop and each new state from now on; nil for every loop. With `swaps`, send the
    /// outcome of each swap too.
    case watch(Place, swaps: Bool)
    /// Swap a plugin, if its library has changed.
    case swap(plugin: String)
    /// Read the manifest again, and continue with it if it has no faults.
    case reload
    /// Return the metrics of the plugins.
    case metrics
    /// Return the counters of a loop; nil for every loop and for the whole app.
    case counters(loop: String?)
    /// Speak this version of the protocol from now on.
    case hello(version: Int64)
    /// Version 2: send what loops do from now on, in place of what an earlier request of this kind has asked for.
    case follow(ControlWatch)
    /// Version 2: return what is asked for.
    case query(ControlQuery)

    /// The greatest length of a line in bytes, without its line end.
    static let maximumLength = 1 << 20

    // The requests of version 1 and their keys. A new request must be added here, in `request(_:_:)`, and in
    // `ControlTarget`.
    private static let keys: [(name: String, keys: [String])] = [
        ("send", ["event", "loop", "key", "payload", "fields", "wait"]),
        ("state", ["loop", "key", "after", "limit"]), ("watch", ["loop", "key", "swaps"]),
        ("swap", ["plugin"]), ("reload", []), ("metrics", []), ("counters", ["loop"]),
    ]

    /// The requests of a version and their keys. In version 1, `hello` is left out of messages: a client that does
    /// not know it does not ask for it.
    private static func keys(in version: Int64) -> [(name: String, keys: [String])] {
        guard version > 1 else { return keys }
        return keys.map { ($0.name, $0.keys + ($0.name == "watch" ? ControlWatch.keys : [])) }
            + [("hello", ["version"])] + ControlQuery.keys
    }

    /// Reads a line.
    ///
    /// - Parameter version: the version of the protocol that the client speaks.
    /// - Throws: `ControlFault`, which names what was expected.
    init(line: ArraySlice<UInt8>, version: Int64 = ControlServer.version) throws(ControlFault) {
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
        let requests = Self.keys(in: version)
        guard let known = requests.first(where: { $0.name == name })?.keys ?? Self.hello(name) else {
            throw ControlFault(
                .unknownRequest, "unknown request `\(name)`", of: name, among: requests.map(\.name),
                called: "the requests")
        }
        for entry in entries {
            guard case .string(let key) = entry.key, key != "request", !known.contains(key) else { continue }
            throw ControlFault(
                .unknownKey, "`\(name)` has no key `\(key)`", of: key, among: known, called: "its keys")
        }
        self = try Self.request(name, value, version)
    }

    private static let example = "a request is one line such as `{\"request\":\"state\"}`"

    private static func hello(_ name: String) -> [String]? { name == "hello" ? ["version"] : nil }

    private static func request(
        _ name: String, _ value: Value, _ version: Int64
    ) throws(ControlFault) -> ControlRequest {
        if version > 1, let query = try ControlQuery(name, value) { return .query(query) }
        let loop = try text("loop", of: value)
        switch name {
        case "hello": return .hello(version: try wantedVersion(of: value))
        case "state": return .state(try place(loop, value), try page(of: value))
        case "watch":
            if let watch = try ControlWatch(value) { return .follow(watch) }
            return .watch(try place(loop, value), swaps: try flag("swaps", of: value) ?? false)
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
            return .send(
                event: event, try place(loop, value), try content(of: value), wait: try wait(of: value))
        }
    }

    private static func wantedVersion(of value: Value) throws(ControlFault) -> Int64 {
        guard let version = try number("version", of: value) else {
            throw ControlFault(
                .missingKey, "`hello` needs the key `version`",
                help: ["write the version of the protocol that you speak, such as 2"])
        }
        guard let wanted = Int64(exactly: version), ControlServer.versions.contains(wanted) else {
            let known = ControlServer.versions.map { "\($0)" }.joined(separator: " and ")
            throw ControlFault(
                .unknownVersion, "the host does not speak version \(version) of the protocol",
                help: ["it speaks \(known)"])
        }
        return wanted
    }

    private static func place(_ loop: String?, _ value: Value) throws(ControlFault) -> Place {
        guard let key = value["key"] else { return Place(loop: loop) }
        guard loop != nil else {
            throw ControlFault(
                .missingKey, "`key` needs the key `loop`", help: ["write the name of the loop with a key"])
        }
        return Place(loop: loop, key: key)
    }

    private static func page(of value: Value) throws(ControlFault) -> Page {
        let limit = try number("limit", of: value) ?? UInt64(Page.first.limit)
        guard (1...UInt64(Page.most)).contains(limit) else {
            throw ControlFault(.wrongType, "`limit` must be from 1 to \(Page.most), found \(limit)")
        }
        return Page(after: try number("after", of: value) ?? 0, limit: Int(limit))
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

    /// Nil for a key that the request does not have.
    static func flag(_ key: String, of value: Value) throws(ControlFault) -> Bool? {
        switch value[key] {
        case nil: return nil
        case .bool(let flag)?: return flag
        case let other?: throw ControlFault(.wrongType, "`\(key)` must be a bool, found \(other.kind)")
        }
    }

    /// A number from 0 on; nil for a key that the request does not have.
    static func number(_ key: String, of value: Value) throws(ControlFault) -> UInt64? {
        switch value[key] {
        case nil: return nil
        case .int(let number)? where number >= 0: return UInt64(number)
        case .uint(let number)?: return number
        case .int(let number)?:
            throw ControlFault(.wrongType, "`\(key)` must be 0 or more, found \(number)")
        case let other?: throw ControlFault(.wrongType, "`\(key)` must be an int, found \(other.kind)")
        }
    }

    /// Nil for a key that the request does not have.
    static func text(_ key: String, of value: Value) throws(ControlFault) -> String? {
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
        case .state(let of, let page):
            let after = page.after == 0 ? [] : [("after", Value.int(Int64(clamping: page.after)))]
            let limit = page.limit == Page.first.limit ? [] : [("limit", Value.int(Int64(page.limit)))]
            (name, loop, rest) = ("state", of.loop, Self.key(of) + after + limit)
        case .watch(let of, let swaps):
            (name, loop, rest) = ("watch", of.loop, Self.key(of) + (swaps ? [("swaps", .bool(true))] : []))
        case .reload: (name, loop, rest) = ("reload", nil, [])
        case .metrics: (name, loop, rest) = ("metrics", nil, [])
        case .counters(let of): (name, loop, rest) = ("counters", of, [])
        case .hello(let version): (name, loop, rest) = ("hello", nil, [("version", .int(version))])
        case .follow(let watch): (name, loop, rest) = ("watch", watch.loop, watch.fields)
        case .query(let query): (name, loop, rest) = (query.name, nil, query.fields)
        case .swap(let plugin): (name, loop, rest) = ("swap", nil, [("plugin", .string(plugin))])
        case .send(let event, let of, let content, let wait):
            let fields: (String, Value) =
                switch content {
                case .payload(let payload): ("payload", payload)
                case .texts(let texts): ("fields", .record(texts.map { ($0.name, .string($0.text)) }))
                }
            let waits = wait.map { [("wait", Value.string($0.rawValue))] } ?? []
            (name, loop, rest) = (
                "send", of.loop, [("event", .string(event)), fields] + Self.key(of) + waits
            )
        }
        let named = loop.map { [("loop", Value.string($0))] } ?? []
        return Value.record([("request", .string(name))] + rest + named).json
    }

    private static func key(_ place: Place) -> [(String, Value)] { place.key.map { [("key", $0)] } ?? [] }
}
