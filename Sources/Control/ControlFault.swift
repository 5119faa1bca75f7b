import Diagnostics
public import Records

/// Why a request is not done.
public struct ControlFault: Error, Hashable, Sendable {
    /// What kind it is, for programs; `docs/control.md` lists them.
    public enum Code: String, Sendable, CaseIterable {
        case invalidJSON = "invalid-json"
        case tooLong = "too-long"
        case unknownRequest = "unknown-request"
        case unknownKey = "unknown-key"
        case missingKey = "missing-key"
        case wrongType = "wrong-type"
        case unknownLoop = "unknown-loop"
        case unknownEvent = "unknown-event"
        case loopNeeded = "loop-needed"
        case invalidPayload = "invalid-payload"
        case notBegun = "not-begun"
        case tooManyClients = "too-many-clients"
        case notPermitted = "not-permitted"
    }

    /// What kind it is.
    public let code: Code
    /// One sentence: lower case, no full stop, the offending thing in backticks.
    public let message: String
    /// What to do, one line each.
    public let help: [String]

    /// A fault; help that is nil is left out.
    public init(_ code: Code, _ message: String, help: [String?] = []) {
        (self.code, self.message, self.help) = (code, message, help.compactMap { $0 })
    }

    /// One for a name that is none of the known ones.
    public init(
        _ code: Code, _ message: String, of name: String, among known: [String], called noun: String
    ) {
        let meant = Suggestion.closest(to: name, among: known).map { "did you mean `\($0)`?" }
        let names = known.map { "`\($0)`" }.joined(separator: ", ")
        self.init(code, message, help: [meant ?? (known.isEmpty ? nil : "\(noun): \(names)")])
    }

    /// The answer that says so.
    public var answer: Value { .record([("ok", .bool(false)), ("error", error)]) }

    /// The fault, without whether it is an answer.
    var error: Value {
        var error: [(String, Value)] = [("code", .string(code.rawValue)), ("message", .string(message))]
        if !help.isEmpty { error.append(("help", .list(help.map(Value.string)))) }
        return .record(error)
    }
}
