import App
import Foundation
import LanguageServer
import Records
import TestSupport
import Testing

/// An editor with files in a folder. Checks run at once, after the message that asks for them.
///
/// In its texts, `‸` marks the place that a request is about.
final class EditorClient {
    /// Why a request got no result.
    struct Refusal: Error, Equatable {
        let code: Int64
        let message: String
    }

    let folder: TemporaryFolder
    let session = LanguageSession(version: "test")
    /// The diagnostics that the client has, by the name of the file.
    private(set) var diagnostics: [String: [Value]] = [:]
    /// All diagnostics that the client has got, in their order.
    private(set) var shown: [String: [[Value]]] = [:]
    /// The exit code, once the session has ended the program.
    private(set) var exitCode: Int32?
    private(set) var warnings: [String] = []
    /// Whether checks wait for `runChecks`, as they do while another thread runs them.
    var holdsChecks = false
    private var jobs: [CheckJob] = []
    private var answers: [Value] = []
    private var texts: [String: String] = [:]

    /// - Parameter encodings: how the client can count columns; nil for a client that does not say it.
    init(encodings: [String]? = ["utf-8", "utf-16"], isInitialized: Bool = true) throws {
        folder = try TemporaryFolder()
        guard isInitialized else { return }
        let general = encodings.map { Value.record([("positionEncodings", .list($0.map(Value.string)))]) }
        try request(
            "initialize", .record([("capabilities", .record(general.map { [("general", $0)] } ?? []))]))
    }

    // MARK: Messages

    func address(_ name: String) -> String { "file://\(folder.root.resolvingSymlinksInPath().path)/\(name)" }

    /// The name of a file in the folder.
    func name(ofAddress address: String) -> String {
        String(address.dropFirst(self.address("").utf8.count))
    }

    @discardableResult
    func request(_ method: String, _ parameters: Value = .null) throws -> Value {
        answers = []
        receive(.record(Self.message(method, parameters) + [("id", .int(7))]))
        let answer = try #require(answers.count == 1 ? answers[0] : nil, "\(method) has one answer")
        #expect(answer["id"] == .int(7))
        if let error = answer["error"], case .int(let code)? = error["code"],
            case .string(let message)? = error["message"]
        {
            throw Refusal(code: code, message: message)
        }
        return try #require(answer["result"])
    }

    func notify(_ method: String, _ parameters: Value = .null) {
        answers = []
        receive(.record(Self.message(method, parameters)))
        #expect(answers.isEmpty, "a notification has no answer")
    }

    private static func message(_ method: String, _ parameters: Value) -> [(String, Value)] {
        [("jsonrpc", .string("2.0")), ("method", .string(method)), ("params", parameters)]
    }

    /// Sends bytes that may be no message, and returns the answers.
    func send(_ text: String) -> [Value] {
        answers = []
        perform(session.receive(Array(text.utf8)))
        return answers
    }

    private func receive(_ message: Value) {
        perform(session.receive(Array(message.json.utf8)))
        if !holdsChecks { runChecks() }
    }

    private func perform(_ outputs: [LanguageSession.Output]) {
        for output in outputs {
            switch output {
            case .send(let message): take(message)
            case .check(let job): jobs.append(job)
            case .end(let code): exitCode = code
            }
        }
    }

    /// Runs the checks that the session has asked for.
    func runChecks() {
        while !jobs.isEmpty {
            perform(session.receive(jobs.removeFirst().run(standardPlugin: StandardPluginImage.description)))
        }
    }

    private func take(_ message: Value) {
        switch message["method"] {
        case .string("textDocument/publishDiagnostics"):
            guard case .string(let address)? = message["params"]?["uri"],
                case .list(let list)? = message["params"]?["diagnostics"]
            else { return }
            diagnostics[name(ofAddress: address)] = list
            shown[name(ofAddress: address), default: []].append(list)
        case .string("window/logMessage"):
            if case .string(let text)? = message["params"]?["message"] { warnings.append(text) }
        default: answers.append(message)
        }
    }

    // MARK: Texts

    /// Writes files without opening them.
    func write(_ files: [String: String]) throws {
        for (name, text) in files { try folder.write(name, text) }
    }

    /// Opens a file with a text, which its mark leaves. The file on the disk need not exist.
    func open(_ text: String, as name: String = "app.toml") {
        texts[name] = text
        notify(
            "textDocument/didOpen",
            .record([
                (
                    "textDocument",
                    .record([
                        ("uri", .string(address(name))), ("languageId", .string("toml")),
                        ("version", .int(1)),
                        ("text", .string(text.replacing("‸", with: ""))),
                    ])
                )
            ]))
    }

    /// Moves the mark of an open file.
    func mark(_ text: String, in name: String = "app.toml") { texts[name] = text }

    /// Gives an open file another text.
    func change(_ name: String = "app.toml", to text: String) {
        texts[name] = text
        change(name, [.record([("text", .string(text.replacing("‸", with: "")))])])
    }

    func change(_ name: String, _ changes: [Value]) {
        notify(
            "textDocument/didChange",
            .record([
                ("textDocument", .record([("uri", .string(address(name))), ("version", .int(2))])),
                ("contentChanges", .list(changes)),
            ]))
    }

    func close(_ name: String = "app.toml") {
        notify(
            "textDocument/didClose", .record([("textDocument", .record([("uri", .string(address(name)))]))]))
    }

    /// Asks about the marked place of an open file.
    @discardableResult
    func ask(
        _ method: String, in name: String = "app.toml", _ more: [(String, Value)] = []
    ) throws -> Value {
        let text = texts[name, default: ""]
        // By bytes, because a line end of two bytes is one character.
        let before = text.prefix { $0 != "‸" }.utf8.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let position = Value.record([
            ("line", .int(Int64(before.count - 1))), ("character", .int(Int64(before.last?.count ?? 0))),
        ])
        return try request(
            "textDocument/\(method)",
            .record(
                [("textDocument", .record([("uri", .string(address(name)))])), ("position", position)] + more)
        )
    }

    /// Opens a text with a mark, and returns the names that may be written there.
    func names(_ text: String) throws -> [String] {
        open(text)
        return try ask("completion").items.compactMap { $0["label"]?.string }
    }

    /// The text of a file after edits of the protocol, which count bytes.
    func edited(_ name: String, _ edits: [Value]) throws -> String {
        var bytes = Array(texts[name, default: ""].replacing("‸", with: "").utf8)
        let ranges = try edits.map { edit in
            (try offsets(edit["range"], in: bytes), try #require(edit["newText"]?.string))
        }
        for (range, text) in ranges.sorted(by: { $0.0.lowerBound > $1.0.lowerBound }) {
            bytes.replaceSubrange(range, with: text.utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func offsets(_ range: Value?, in bytes: [UInt8]) throws -> Range<Int> {
        func offset(_ position: Value?) throws -> Int {
            guard case .int(let line)? = position?["line"], case .int(let column)? = position?["character"]
            else {
                throw Refusal(code: 0, message: "\(position?.json ?? "") is not a position")
            }
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            guard lines.indices.contains(Int(line)), lines[Int(line)].count >= column else {
                throw Refusal(code: 0, message: "\(position?.json ?? "") is outside of the text")
            }
            return lines[..<Int(line)].reduce(0) { $0 + $1.count + 1 } + Int(column)
        }
        return try offset(range?["start"])..<offset(range?["end"])
    }

    /// The text of a range of an open file.
    func text(_ range: Value?, in name: String = "app.toml") throws -> String {
        let bytes = Array(texts[name, default: ""].replacing("‸", with: "").utf8)
        return String(decoding: bytes[try offsets(range, in: bytes)], as: UTF8.self)
    }
}

extension Value {
    var items: [Value] { if case .list(let items) = self { items } else { [] } }
    var string: String? { if case .string(let text) = self { text } else { nil } }
}
