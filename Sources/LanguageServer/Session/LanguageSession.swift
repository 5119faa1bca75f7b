import Manifest
package import Records

/// What the server knows, and what it answers. It does no input and output, and starts no thread: its owner feeds it,
/// and does what the outputs say, in their order.
package final class LanguageSession {
    /// What the owner must do.
    package enum Output {
        case send(Value)
        /// Run it on another thread, and hand the outcome to `receive`. At most one check runs at a time.
        case check(CheckJob)
        /// End the program with this exit code.
        case end(Int32)
    }

    /// A text that the client has open.
    struct OpenText {
        let address: String
        var version: Int
        var file: ManifestText
        /// The path of the manifest to which the file belongs.
        var root: String
    }

    /// A manifest of which a file is open.
    struct CheckedManifest {
        /// The paths of its files, without links.
        var files: [String]
        var model: ProjectModel?
        /// The addresses for which the client has diagnostics.
        var published: Set<String> = []
        /// The files that are not open, as the last check has read them.
        var closed: [String: ManifestText] = [:]
        /// Whether a text has changed since its last check began.
        var isWaiting = false
    }

    enum Phase { case new, running, shutDown, ended }

    var phase = Phase.new
    var unit = TextLines.Unit.utf16
    /// Whether the client says which files have changed, if it is asked to.
    private var canWatchFiles = false
    /// By path without links.
    var texts: [String: OpenText] = [:]
    /// The paths of the open texts by their addresses, as they were when the client opened them.
    var paths: [String: String] = [:]
    /// By the path of the manifest.
    var manifests: [String: CheckedManifest] = [:]
    var isChecking = false
    var outputs: [Output] = []
    /// The version of the program.
    let version: String

    package init(version: String) { self.version = version }

    /// Takes the bytes of a message.
    package func receive(_ bytes: [UInt8]) -> [Output] {
        switch IncomingMessage(bytes) {
        case .request(let id, let method, let parameters):
            do throws(ResponseFault) {
                send(.response(id, try answer(method, parameters)))
            } catch { send(.response(id, error)) }
        case .notification(let method, let parameters): take(method, parameters)
        case .response: break
        case .refused(let id, let fault): send(.response(id, fault))
        }
        return takeOutputs()
    }

    /// Takes the outcome of a check.
    package func receive(_ outcome: CheckJob.Outcome) -> [Output] {
        isChecking = false
        finish(outcome)
        checkNext()
        return takeOutputs()
    }

    /// The exit code at the end of the input: 0 only after `shutdown`.
    package var exitCode: Int32 { phase == .shutDown ? 0 : 1 }

    /// The text that the client has open at an address; nil for another address.
    package func text(at address: String) -> String? { openText(at: address)?.file.lines.text }

    func openText(at address: String) -> OpenText? { paths[address].flatMap { texts[$0] } }

    private func takeOutputs() -> [Output] {
        defer { outputs = [] }
        return outputs
    }

    func send(_ message: Value) { outputs.append(.send(message)) }

    /// Tells the user of the client something that is not an answer.
    func warn(_ text: String) {
        send(.notification("window/logMessage", .record([("type", .number(2)), ("message", .string(text))])))
    }

    private func take(_ method: String, _ parameters: Value) {
        switch (method, phase) {
        case ("exit", _):
            outputs.append(.end(exitCode))
            phase = .ended
        case ("initialized", .running): watchFiles()
        case ("textDocument/didOpen", .running): open(parameters)
        case ("textDocument/didChange", .running): change(parameters)
        case ("textDocument/didClose", .running): close(parameters)
        case ("textDocument/didSave", .running), ("workspace/didChangeWatchedFiles", .running):
            // Files that are not open, and libraries, may have changed.
            for root in manifests.keys.sorted() { requestCheck(of: root) }
        default: break
        }
    }

    private func answer(_ method: String, _ parameters: Value) throws(ResponseFault) -> Value {
        switch (method, phase) {
        case ("initialize", .new): return initialize(parameters)
        case ("initialize", _): throw ResponseFault(.invalidRequest, "the server is initialized already")
        case (_, .new): throw ResponseFault(.notInitialized, "`initialize` must come first")
        case (_, .shutDown), (_, .ended):
            throw ResponseFault(.invalidRequest, "the server has been shut down")
        case ("shutdown", .running):
            phase = .shutDown
            return .null
        case ("textDocument/completion", _): return CompletionAnswer(try place(parameters)).value
        case ("textDocument/hover", _): return HoverAnswer(try place(parameters)).value
        case ("textDocument/definition", _):
            let place = try place(parameters)
            return .list(DefinitionAnswer(place).places.map(location))
        case ("textDocument/references", _):
            let isWhole = parameters[path: "context", "includeDeclaration"]?.isTrue ?? true
            return .list(
                ReferenceAnswer(try place(parameters), hasDeclarations: isWhole).places.map(location))
        case ("textDocument/prepareRename", _):
            let place = try place(parameters)
            guard let answer = try? RenameAnswer(place) else { return .null }
            return .record([
                ("range", place.file.lines.range(answer.range)), ("placeholder", .string(answer.name.name)),
            ])
        case ("textDocument/rename", _): return try rename(parameters)
        case ("textDocument/documentSymbol", _): return SymbolAnswer(try text(parameters).file).value
        case ("textDocument/formatting", _): return try FormattingAnswer(try text(parameters).file).value()
        default: throw ResponseFault(.methodNotFound, "the server has no method `\(method)`")
        }
    }

    private func initialize(_ parameters: Value) -> Value {
        phase = .running
        let units = parameters[path: "capabilities", "general", "positionEncodings"]?.elements ?? []
        if units.contains(.string(TextLines.Unit.utf8.rawValue)) { unit = .utf8 }
        canWatchFiles =
            parameters[
                path: "capabilities", "workspace", "didChangeWatchedFiles", "dynamicRegistration"]?.isTrue
            ?? false
        let sync = Value.record([("openClose", .bool(true)), ("change", .number(2)), ("save", .bool(true))])
        let triggers = [".", "\"", "'", ":", "["].map(Value.string)
        return .record([
            (
                "capabilities",
                .record([
                    ("positionEncoding", .string(unit.rawValue)), ("textDocumentSync", sync),
                    ("completionProvider", .record([("triggerCharacters", .list(triggers))])),
                    ("hoverProvider", .bool(true)), ("definitionProvider", .bool(true)),
                    ("referencesProvider", .bool(true)),
                    ("renameProvider", .record([("prepareProvider", .bool(true))])),
                    ("documentSymbolProvider", .bool(true)), ("documentFormattingProvider", .bool(true)),
                ])
            ),
            ("serverInfo", .record([("name", .string("spinhost")), ("version", .string(version))])),
        ])
    }

    /// Asks the client to say when a library has been built, or a file changed that is not open.
    private func watchFiles() {
        guard canWatchFiles else { return }
        let pattern = Value.record([("globPattern", .string("**/*.{so,toml}"))])
        let registration = Value.record([
            ("id", .string("files")), ("method", .string("workspace/didChangeWatchedFiles")),
            ("registerOptions", .record([("watchers", .list([pattern]))])),
        ])
        send(
            .request(
                "watch files", "client/registerCapability",
                .record([("registrations", .list([registration]))])))
    }

    /// The open text that a request is about.
    func text(_ parameters: Value) throws(ResponseFault) -> OpenText {
        guard let address = parameters[path: "textDocument", "uri"]?.text, let text = openText(at: address)
        else {
            throw ResponseFault(.invalidParameters, "the text is not open")
        }
        return text
    }

    /// The place in an open text that a request is about.
    private func place(_ parameters: Value) throws(ResponseFault) -> AskedPlace {
        let text = try text(parameters)
        guard let offset = text.file.lines.offset(of: parameters["position"]) else {
            throw ResponseFault(.invalidParameters, "`position` is not a position")
        }
        return AskedPlace(project: project(of: text), file: text.file, offset: offset)
    }

    private func rename(_ parameters: Value) throws(ResponseFault) -> Value {
        guard let new = parameters["newName"]?.text else {
            throw ResponseFault(.invalidParameters, "`newName` is not a text")
        }
        let places = try RenameAnswer(try place(parameters)).places(for: new)
        let files = Dictionary(grouping: places) { address(of: $0.file.path) }
        let changes = files.sorted { $0.key < $1.key }.map { address, places in
            let edits = places.map { place in
                Value.record([("range", place.file.lines.range(place.range)), ("newText", .string(new))])
            }
            return (address, Value.list(edits))
        }
        return .record([("changes", .record(changes))])
    }

    private func location(_ place: DefinitionAnswer.Place) -> Value {
        .record([
            ("uri", .string(address(of: place.file.path))), ("range", place.file.lines.range(place.range)),
        ])
    }
}

/// A place in a text that the client asks about.
struct AskedPlace {
    let project: Project
    let file: ManifestText
    let offset: Int
}
