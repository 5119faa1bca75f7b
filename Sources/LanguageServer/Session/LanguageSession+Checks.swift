import Diagnostics
import Manifest
import Records

extension LanguageSession {
    /// Asks for a check of a manifest with the newest texts. Changes while a check runs are checked together.
    func requestCheck(of root: String) {
        manifests[root, default: CheckedManifest(files: [root])].isWaiting = true
        checkNext()
    }

    /// Begins the next check unless one is running.
    func checkNext() {
        guard !isChecking, phase == .running,
            let root = manifests.filter({ $0.value.isWaiting }).keys.sorted().first
        else { return }
        isChecking = true
        manifests[root]?.isWaiting = false
        outputs.append(.check(CheckJob(root: root, buffers: buffers, unit: unit)))
    }

    /// Keeps what a check found out. It publishes its diagnostics unless a text has changed since it began.
    func finish(_ outcome: CheckJob.Outcome) {
        guard var manifest = manifests[outcome.root] else { return }
        if let model = outcome.model { manifest.model = model }
        let paths = outcome.analysis.loaded.files.map { Manifest.realPath(of: $0) }
        (manifest.files, manifest.closed) = (paths, outcome.closed)
        if !manifest.isWaiting { publish(outcome, paths, &manifest) }
        manifests[outcome.root] = manifest
        if outcome.isOfManifest { adopt(paths, by: outcome.root) }
    }

    /// Files that were taken for manifests of their own belong to the manifest that includes them, and so do the files
    /// that they include.
    private func adopt(_ paths: [String], by root: String) {
        for path in paths where path != root && manifests[path] != nil {
            manifests[path] = nil
            for (other, text) in texts where text.root == path { texts[other]?.root = root }
        }
    }

    private func publish(_ outcome: CheckJob.Outcome, _ paths: [String], _ manifest: inout CheckedManifest) {
        var lists: [String: [Value]] = [:]
        for path in [outcome.root] + paths { lists[address(of: path), default: []] += [] }
        for address in manifest.published { lists[address, default: []] += [] }
        var lines = CheckedLines(texts: texts.mapValues(\.file.lines), unit: unit)
        // A TOML file of something else has no faults here.
        for diagnostic in outcome.analysis.loaded.diagnostics where outcome.isOfManifest {
            let path = diagnostic.place.map { Manifest.realPath(of: $0.span.file.name) } ?? outcome.root
            lists[address(of: path), default: []].append(value(of: diagnostic, &lines))
        }
        let open = Set(texts.values.map(\.address))
        for (address, list) in lists.sorted(by: { $0.key < $1.key })
        where !list.isEmpty || manifest.published.contains(address) || open.contains(address) {
            publish(list, at: address, version: self.paths[address].flatMap { texts[$0]?.version })
        }
        manifest.published = Set(lists.filter { !$0.value.isEmpty }.keys)
    }

    func publish(_ diagnostics: [Value], at address: String, version: Int?) {
        send(
            .notification(
                "textDocument/publishDiagnostics",
                .object([
                    ("uri", .string(address)), ("version", version.map(Value.number)),
                    ("diagnostics", .list(diagnostics)),
                ])))
    }

    func address(of path: String) -> String {
        texts[path]?.address ?? FileAddress.address(of: path, in: "")
    }

    private func value(of diagnostic: Diagnostic, _ lines: inout CheckedLines) -> Value {
        let label = diagnostic.place.map(\.text) ?? ""
        let message =
            ([diagnostic.message] + (label.isEmpty ? [] : [label]) + diagnostic.notes.map { "note: \($0)" }
            + diagnostic.help.map { "help: \($0)" }).joined(separator: "\n")
        let start = Value.record([("line", .number(0)), ("character", .number(0))])
        var related: [Value] = []
        for label in diagnostic.related {
            let address = address(of: Manifest.realPath(of: label.span.file.name))
            related.append(
                .record([
                    (
                        "location",
                        .record([("uri", .string(address)), ("range", lines.range(of: label.span))])
                    ),
                    ("message", .string(label.text.isEmpty ? diagnostic.message : label.text)),
                ]))
        }
        return .object([
            (
                "range",
                diagnostic.place.map { lines.range(of: $0.span) }
                    ?? .record([("start", start), ("end", start)])
            ),
            ("severity", .number(diagnostic.severity == .error ? 1 : 2)),
            ("code", .string(diagnostic.code.rawValue)), ("source", .string("spinhost")),
            ("message", .string(message)),
            ("relatedInformation", related.isEmpty ? nil : .list(related)),
        ])
    }
}

/// The lines of the files that a check has read, each made once.
private struct CheckedLines {
    /// The open texts by path.
    let texts: [String: TextLines]
    let unit: TextLines.Unit
    private var known: [ObjectIdentifier: TextLines] = [:]

    init(texts: [String: TextLines], unit: TextLines.Unit) { (self.texts, self.unit) = (texts, unit) }

    mutating func range(of span: SourceSpan) -> Value {
        let lines = lines(of: span.file)
        let start = lines.offset(of: span.start)
        return lines.range(start..<max(start, lines.offset(of: span.end)))
    }

    private mutating func lines(of file: SourceFile) -> TextLines {
        if let lines = known[ObjectIdentifier(file)] { return lines }
        let open = texts[Manifest.realPath(of: file.name)]
        let lines = open.flatMap { $0.text == file.text ? $0 : nil } ?? TextLines(file.text, unit)
        known[ObjectIdentifier(file)] = lines
        return lines
    }
}

extension CheckJob.Outcome {
    /// Whether the file is a manifest: it is called `app.toml`, or declares a loop, as one that it includes may do.
    fileprivate var isOfManifest: Bool {
        root.hasSuffix("/app.toml")
            || (model?.hasLoops ?? analysis.files.contains { $0.text.contains("[loops.") })
    }
}
