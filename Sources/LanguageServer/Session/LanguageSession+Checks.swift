import Diagnostics
import Manifest
import Records

extension LanguageSession {
    /// Asks for a check of a manifest with the newest texts. Changes while a check runs are checked together.
    func requestCheck(of root: String) {
        generation += 1
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
        outputs.append(.check(CheckJob(root: root, generation: generation, buffers: buffers)))
    }

    /// Keeps what a check found out. It publishes its diagnostics unless a text has changed since it began.
    func finish(_ outcome: CheckJob.Outcome) {
        guard var manifest = manifests[outcome.root] else { return }
        if let model = outcome.model { manifest.model = model }
        let paths = outcome.analysis.loaded.files.map { Manifest.realPath(of: $0) ?? $0 }
        manifest.files = paths
        for file in outcome.analysis.files {
            let path = Manifest.realPath(of: file.name) ?? file.name
            if texts[path] == nil {
                manifest.closed[path] = ManifestText(path: path, TextLines(file.text, unit))
            }
        }
        if !manifest.isWaiting { publish(outcome, paths, &manifest) }
        manifests[outcome.root] = manifest
        adopt(paths, by: outcome.root)
    }

    /// Files that were taken for manifests of their own belong to the manifest that includes them.
    private func adopt(_ paths: [String], by root: String) {
        for path in paths where path != root && texts[path]?.root == path {
            texts[path]?.root = root
            manifests[path] = nil
        }
    }

    private func publish(_ outcome: CheckJob.Outcome, _ paths: [String], _ manifest: inout CheckedManifest) {
        var lists: [String: [Value]] = [:]
        for path in [outcome.root] + paths { lists[address(of: path), default: []] += [] }
        for address in manifest.published { lists[address, default: []] += [] }
        // A TOML file of something else has no faults here.
        let isManifest = texts[outcome.root]?.file.isManifest ?? true
        for diagnostic in outcome.analysis.loaded.diagnostics where isManifest {
            let path = diagnostic.place.map { Manifest.realPath(of: $0.span.file.name) ?? $0.span.file.name }
            lists[address(of: path ?? outcome.root), default: []].append(value(of: diagnostic))
        }
        for (address, list) in lists.sorted(by: { $0.key < $1.key })
        where !list.isEmpty || manifest.published.contains(address) || texts[Self.path(of: address)] != nil {
            publish(list, at: address, version: texts[Self.path(of: address)]?.version)
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

    private func value(of diagnostic: Diagnostic) -> Value {
        let label = diagnostic.place.map(\.text) ?? ""
        let message =
            ([diagnostic.message] + (label.isEmpty ? [] : [label]) + diagnostic.notes.map { "note: \($0)" }
            + diagnostic.help.map { "help: \($0)" }).joined(separator: "\n")
        let start = Value.record([("line", .number(0)), ("character", .number(0))])
        let related = diagnostic.related.map { label in
            Value.record([
                ("location", location(of: label.span)),
                ("message", .string(label.text.isEmpty ? diagnostic.message : label.text)),
            ])
        }
        return .object([
            (
                "range",
                diagnostic.place.map { range(of: $0.span) } ?? .record([("start", start), ("end", start)])
            ),
            ("severity", .number(diagnostic.severity == .error ? 1 : 2)),
            ("code", .string(diagnostic.code.rawValue)), ("source", .string("spinhost")),
            ("message", .string(message)),
            ("relatedInformation", related.isEmpty ? nil : .list(related)),
        ])
    }

    private func location(of span: SourceSpan) -> Value {
        let path = Manifest.realPath(of: span.file.name) ?? span.file.name
        return .record([("uri", .string(address(of: path))), ("range", range(of: span))])
    }

    private func range(of span: SourceSpan) -> Value {
        let path = Manifest.realPath(of: span.file.name) ?? span.file.name
        let lines =
            texts[path].map(\.file.lines).flatMap { $0.text == span.file.text ? $0 : nil }
            ?? TextLines(span.file.text, unit)
        return lines.range(
            lines.offset(of: span.start)..<max(lines.offset(of: span.start), lines.offset(of: span.end)))
    }
}
