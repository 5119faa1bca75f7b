import Diagnostics
import Interfaces

// Plugins in a process of their own.
extension ManifestDecoder {
    /// `isolation` and `sandbox` of a plugin.
    struct Isolation {
        var model = IsolationModel.inline
        /// Nil unless the plugin has a process of its own.
        var sandbox: SandboxModel?
        /// The value of `isolation`; nil if the key is absent.
        var span: SourceSpan?
        /// The keys of `sandbox`.
        var sandboxSpans: [String: SourceSpan] = [:]
    }

    /// A plugin that shares its process.
    struct Sharer {
        let plugin: String
        let sandbox: SandboxModel
        /// The value of `share`.
        let span: SourceSpan
    }

    /// Decodes `isolation` and `sandbox`. A key with a reported fault has its default.
    func decodeIsolation(_ table: TableReader, of plugin: String) -> Isolation {
        var isolation = Isolation(span: table.value("isolation")?.span)
        let word = table.word("isolation", as: IsolationModel.self)
        isolation.model = word ?? .inline
        let earlier = collector.errorCount
        let sandbox = table.table("sandbox", .sandbox)
        // An unknown word may be a misspelt `process`.
        let isFaulty = table.span(of: "isolation") != nil && word == nil
        if let span = table.span(of: "sandbox"), isolation.model != .process, !isFaulty {
            collector.error(
                .conflictingKeys, "`sandbox` needs `isolation = \"process\"`", at: span,
                label: "only a process of its own has such rules",
                related: isolation.span.map { [Diagnostic.Label($0)] } ?? [],
                help: ["write `isolation = \"process\"` in `[plugins.\(plugin)]`, or remove `sandbox`"])
        }
        let model = sandbox.map(decodeSandbox) ?? SandboxModel(enforcement: enforcement)
        guard isolation.model == .process else { return isolation }
        isolation.sandbox = model
        for entry in sandbox?.node.entries ?? [] { isolation.sandboxSpans[entry.key] = entry.keySpan }
        if collector.errorCount == earlier, let node = sandbox?.value("share") {
            checkShared(Sharer(plugin: plugin, sandbox: model, span: node.span))
        }
        return isolation
    }

    private func decodeSandbox(_ table: TableReader) -> SandboxModel {
        let standard = SandboxModel()
        let (ports, unix) = connections(table)
        return SandboxModel(
            read: paths(table, "read"), write: paths(table, "write"), exec: paths(table, "exec"),
            ports: ports, connectsToUnixSockets: unix, listensAt: listening(table), env: environment(table),
            memory: size(table, "memory", in: SandboxModel.memorySizes), cpu: constantDuration(table, "cpu"),
            files: table.integer("files", in: SandboxModel.fileCounts) ?? standard.files,
            processes: table.integer("processes", in: SandboxModel.processCounts) ?? standard.processes,
            cancelGrace: constantDuration(table, "cancel-grace") ?? standard.cancelGrace, share: share(table),
            restart: table.table("restart", .restart).map(decodeRestart) ?? standard.restart,
            enforcement: enforcement)
    }

    /// The absolute paths that a key lists.
    private func paths(_ table: TableReader, _ key: String) -> [String] {
        var first: [String: SourceSpan] = [:]
        for (text, node) in table.strings(key) ?? [] {
            guard !text.isEmpty, !text.utf8.contains(0),
                // With a slash, no folder is searched for it.
                let location = try? LibraryLocation.resolve(
                    library: text.utf8.first == UInt8(ascii: "/") ? text : "./\(text)",
                    manifestFolder: folder, pluginPath: []),
                case .file(let path) = location
            else {
                collector.error(
                    .invalidName, "`\(key)` has an empty path, or one with a NUL character", at: node.span,
                    help: ["write a file or a folder"])
                continue
            }
            list(path, text, key, node, in: &first)
        }
        return Array(first.keys)
    }

    /// Decodes `connect`.
    private func connections(_ table: TableReader) -> (ports: [UInt16], unix: Bool) {
        var first: [UInt16: SourceSpan] = [:]
        var unix: [Bool: SourceSpan] = [:]
        for (text, node) in table.strings("connect") ?? [] {
            if text == "unix" {
                list(true, text, "connect", node, in: &unix)
                continue
            }
            if let port = port(text, "connect", node, from: 1, expected: "`tcp:PORT` or `unix`") {
                list(port, text, "connect", node, in: &first)
            }
        }
        return (Array(first.keys), !unix.isEmpty)
    }

    /// Decodes `listen`.
    private func listening(_ table: TableReader) -> [UInt16] {
        var first: [UInt16: SourceSpan] = [:]
        for (text, node) in table.strings("listen") ?? [] {
            if let port = port(text, "listen", node, from: 0, expected: "`tcp:PORT`") {
                list(port, text, "listen", node, in: &first)
            }
        }
        return Array(first.keys)
    }

    /// The port of a text such as `tcp:443`; nil after a report.
    private func port(
        _ text: String, _ key: String, _ node: TOMLNode, from least: UInt16, expected: String
    ) -> UInt16? {
        let digits = text.dropFirst(4)
        guard text.hasPrefix("tcp:"), !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) })
        else {
            collector.error(
                .unknownWord, "`\(key)` cannot name `\(text)`", at: node.span, label: "expected \(expected)",
                help: ["write a port as a number, such as `tcp:443`"])
            return nil
        }
        guard let port = UInt16(digits), port >= least else {
            collector.error(
                .outOfRange, "the port \(digits) does not exist", at: node.span,
                label: "expected \(least) to \(UInt16.max)")
            return nil
        }
        return port
    }

    /// Adds a value to those of a list. Reports a value that is there already.
    private func list<Value: Hashable>(
        _ value: Value, _ text: String, _ key: String, _ node: TOMLNode, in first: inout [Value: SourceSpan]
    ) {
        guard let before = first[value] else {
            first[value] = node.span
            return
        }
        collector.error(
            .definedTwice, "`\(text)` is named twice in `\(key)`", at: node.span,
            related: [Diagnostic.Label(before, "here for the first time")], help: ["remove one of them"])
    }

    /// Decodes `env`.
    private func environment(_ table: TableReader) -> [String: String] {
        var variables: [String: String] = [:]
        for entry in table.table("env", .sandboxEnv)?.named ?? [] {
            guard NameRule.isVariable(entry.key) else {
                collector.error(
                    .invalidName, "`\(entry.key)` cannot be the name of a variable", at: entry.keySpan,
                    help: ["a name is letters, digits and `_`, no digit first"])
                continue
            }
            guard let value = entry.value.string, !value.utf8.contains(0) else {
                collector.error(
                    .invalidName, "the value of `\(entry.key)` has a NUL character", at: entry.value.span)
                continue
            }
            variables[entry.key] = value
        }
        return variables
    }

    /// Decodes `share`; nil if the key is absent, and after a report.
    private func share(_ table: TableReader) -> String? {
        guard let node = table.value("share"), let word = node.string else { return nil }
        guard NameRule.isName(word) else {
            collector.error(
                .invalidName, "`share` cannot be `\(word)`", at: node.span, help: [NameRule.help])
            return nil
        }
        return word
    }

    private func decodeRestart(_ table: TableReader) -> SandboxModel.Restart {
        let standard = SandboxModel.Restart()
        let (first, longest) = backoff(table) ?? (standard.firstBackoff, standard.longestBackoff)
        return SandboxModel.Restart(
            firstBackoff: first, longestBackoff: longest,
            limit: table.integer("limit", in: SandboxModel.Restart.limits) ?? standard.limit,
            within: constantDuration(table, "within") ?? standard.within)
    }

    /// Decodes `backoff`; nil if the key is absent, and after a report.
    private func backoff(_ table: TableReader) -> (first: Duration, longest: Duration)? {
        guard let node = table.value("backoff"), case .array(let elements) = node.content else { return nil }
        guard elements.count == 2 else {
            collector.error(
                .doesNotConvert, "`backoff` needs two times", at: node.span,
                label: "it has \(elements.count)",
                help: ["write the first wait and the longest one: `backoff = [\"100ms\", \"10s\"]`"])
            return nil
        }
        let times = (table.strings("backoff") ?? []).compactMap { constantDuration($0.node, "backoff") }
        guard times.count == 2 else { return nil }
        guard times[0] <= times[1] else {
            collector.error(
                .conflictingKeys, "the first wait of `backoff` is longer than the longest one",
                at: elements[0].span, related: [Diagnostic.Label(elements[1].span, "the longest wait")],
                help: ["write the shorter time first"])
            return nil
        }
        return (times[0], times[1])
    }

    /// Reports a plugin whose rules differ from those of an earlier plugin in the same process: a process has one
    /// set of rules.
    private func checkShared(_ sharer: Sharer) {
        guard let word = sharer.sandbox.share else { return }
        guard let first = sharers[word] else {
            sharers[word] = sharer
            return
        }
        guard sharer.sandbox != first.sandbox else { return }
        let differences = sharer.sandbox.differences(from: first.sandbox)
        collector.error(
            .conflictingKeys,
            "`\(first.plugin)` and `\(sharer.plugin)` share a process, but differ in \(differences.quoted)",
            at: sharer.span, related: [Diagnostic.Label(first.span, "`\(first.plugin)` has other rules")],
            help: ["write the same `sandbox` for both, or another word"])
    }
}
