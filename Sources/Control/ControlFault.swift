import Diagnostics
public import Records

/// The reason why a request was refused.
public struct ControlFault: Error, Hashable, Sendable {
    /// The kinds of faults, for programs; `docs/control.md` lists them.
    public enum Code: String, Sendable, CaseIterable {
        case invalidJSON = "invalid-json"
        case tooLong = "too-long"
        case unknownRequest = "unknown-request"
        case unknownVersion = "unknown-version"
        case unknownKey = "unknown-key"
        case missingKey = "missing-key"
        case wrongType = "wrong-type"
        case unknownLoop = "unknown-loop"
        case unknownEvent = "unknown-event"
        case unknownFeedback = "unknown-feedback"
        case loopNeeded = "loop-needed"
        case keyNeeded = "key-needed"
        case keyNotTaken = "key-not-taken"
        case invalidKey = "invalid-key"
        case noInstance = "no-instance"
        case unknownPlace = "unknown-place"
        case invalidFilter = "invalid-filter"
        case notReducible = "not-reducible"
        case invalidPayload = "invalid-payload"
        case notBegun = "not-begun"
        case noJournal = "no-journal"
        case journalFailed = "journal-failed"
        case recorded = "recorded"
        case tooManyClients = "too-many-clients"
        case notPermitted = "not-permitted"
    }

    /// Its kind.
    public let code: Code
    /// One sentence: lower case, no full stop, the offending thing in backticks.
    public let message: String
    /// What to do, one line each.
    public let help: [String]

    /// A fault; nil entries of `help` are left out.
    public init(_ code: Code, _ message: String, help: [String?] = []) {
        (self.code, self.message, self.help) = (code, message, help.compactMap { $0 })
    }

    /// A fault about an unknown name, with the most similar known name or the list of known names as help.
    public init(
        _ code: Code, _ message: String, of name: String, among known: [String], called noun: String
    ) {
        let meant = Suggestion.closest(to: name, among: known).map { "did you mean `\($0)`?" }
        let names = known.map { "`\($0)`" }.joined(separator: ", ")
        self.init(code, message, help: [meant ?? (known.isEmpty ? nil : "\(noun): \(names)")])
    }

    /// The answer to the refused request.
    public var answer: Value { .record([("ok", .bool(false)), ("error", error)]) }

    /// The fault as a record, without the `ok` of an answer.
    var error: Value {
        var error: [(String, Value)] = [("code", .string(code.rawValue)), ("message", .string(message))]
        if !help.isEmpty { error.append(("help", .list(help.map(Value.string)))) }
        return .record(error)
    }
}
