/// What the server does with a line of a page.
enum PageRequest: Equatable, Sendable {
    /// The page shows this token.
    case hello(String)
    /// The host answers it.
    case host
    /// The server answers it with this line.
    case answer(String)

    /// The requests that change nothing. Without `--write` the server refuses every other request. A later host may
    /// have requests that this server does not know, and it refuses them, too.
    static let reading: Set<String> = [
        "state", "watch", "metrics", "counters", "steps", "at", "diff", "fork", "export", "graph", "runs",
        "plugins", "why",
    ]

    /// - Parameters:
    ///   - line: the text of a message.
    ///   - write: whether the page may change the app.
    init(_ line: [UInt8], write: Bool) {
        let value: JSON
        do throws(JSONParser.Fault) { value = try JSONParser.value(of: line) } catch {
            self = .refusal("invalid-json", "the message is not JSON: the fault is at byte \(error.offset)")
            return
        }
        // The line must stay one line for the host.
        guard !line.contains(UInt8(ascii: "\n")), !line.contains(UInt8(ascii: "\r")) else {
            self = .refusal("invalid-json", "a message is one line")
            return
        }
        // Readers disagree on which of two equal keys counts.
        guard Set(value.members.map(\.key)).count == value.members.count else {
            self = .refusal("invalid-json", "a key occurs twice")
            return
        }
        guard let request = value["request"]?.text else {
            self = .refusal(
                "missing-key", "a message needs the key `request`",
                help: ["write an object such as `{\"request\":\"state\"}`"])
            return
        }
        if request == "hello" {
            self = .hello(value["token"]?.text ?? "")
        } else if write || Self.reading.contains(request) {
            self = .host
        } else {
            self = .refusal(
                "read-only", "the inspector only reads, and `\(request)` may change the app",
                help: ["start the inspector with `--write`"])
        }
    }

    private static func refusal(_ code: String, _ message: String, help: [String] = []) -> PageRequest {
        .answer(fault(code, message, help: help))
    }

    /// An answer that refuses a request, in the form of the control protocol.
    static func fault(_ code: String, _ message: String, help: [String] = []) -> String {
        var error: [(String, JSON)] = [("code", .string(code)), ("message", .string(message))]
        if !help.isEmpty { error.append(("help", .list(help.map(JSON.string)))) }
        return JSON.record([("ok", .bool(false)), ("error", .record(error))]).line
    }
}
