import Interfaces
import Records

/// The output of `spinhost plugin info` about a file.
struct PluginReport {
    private let file: ELFFile
    private let hash: String
    private let plugin: PluginDescription?
    // Sorted by name, because the order in the file depends on the compiler.
    private let effects: [EffectDescription]
    private let emitters: [EmitterDescription]
    private let records: [RecordDescription]
    private let reducers: [ReducerDescription]

    /// Reads a file.
    ///
    /// - Throws: `InterfaceError` if the file is not a library, or its notes are not valid for this host.
    init(path: String) throws(InterfaceError) {
        file = try ELFFile(path: path)
        hash = try LibraryHash.hash(path: path)
        plugin = try PluginDescription.read(from: file)
        effects = plugin?.effects.sorted { $0.name < $1.name } ?? []
        emitters = plugin?.emitters.sorted { $0.name < $1.name } ?? []
        records = plugin?.records.sorted { $0.name < $1.name } ?? []
        reducers = plugin?.reducers.sorted { $0.name < $1.name } ?? []
    }

    /// The lines for people.
    var lines: [String] {
        var lines: [String] = []
        if let plugin {
            lines.append("\(plugin.id) \(plugin.version), for ABI \(plugin.abi)")
            for effect in effects {
                let failure = effect.failsIf.isEmpty ? "" : ", fails if \(effect.failsIf)"
                lines += Self.entry("effect", effect.function.text + failure, effect.doc)
            }
            for emitter in emitters {
                lines += Self.entry("emitter", Self.prototype(emitter), emitter.doc)
            }
            for record in records { lines += Self.entry("record", record.text, "") }
            for reducer in reducers {
                lines += Self.entry(
                    "reducer", "\(reducer.name) of \(reducer.stateType) and \(reducer.eventType)", reducer.doc
                )
            }
            lines += Self.lines(of: plugin.instance)
            for loop in plugin.loops { lines += Self.entry("loop", loop.loop, "") }
        } else {
            lines.append("has no description: declare its functions in the manifest")
        }
        if !file.needed.isEmpty { lines += Self.entry("needs", file.needed.joined(separator: ", "), "") }
        if file.containsSwift { lines += Self.entry("Swift", "contains Swift, so it is never unmapped", "") }
        if !file.uniqueSymbols.isEmpty {
            lines += Self.entry(
                "unique", file.uniqueSymbols.joined(separator: ", "),
                "All versions in a process share these symbols; compile with -fno-gnu-unique.")
        }
        if file.hasExecutableStack {
            lines += Self.entry("stack", "asks for an executable stack", "Link with -z noexecstack.")
        }
        // As the manifest has it.
        return lines + ["sha256 = \"\(hash)\""]
    }

    /// The record for programs.
    var value: Value {
        Self.map([
            ("file", .string(file.path)), ("sha256", .string(hash)),
            (
                "plugin",
                plugin.map {
                    Self.map([
                        ("id", .string($0.id)), ("version", .string($0.version)),
                        ("abi", .string("\($0.abi)")),
                    ])
                } ?? .null
            ),
            (
                "effects",
                .list(
                    effects.map {
                        Self.map([
                            ("name", .string($0.name)), ("prototype", .string($0.function.text)),
                            ("emits", .bool($0.isEmitting)), ("fails-if", .string($0.failsIf)),
                            ("doc", .string($0.doc)),
                        ])
                    })
            ),
            (
                "emitters",
                .list(
                    emitters.map {
                        Self.map([
                            ("name", .string($0.name)), ("prototype", .string(Self.prototype($0))),
                            ("doc", .string($0.doc)),
                        ])
                    })
            ),
            (
                "records",
                .list(
                    records.map {
                        Self.map([("name", .string($0.name)), ("declaration", .string($0.text))])
                    })
            ),
            (
                "reducers",
                .list(
                    reducers.map {
                        Self.map([
                            ("name", .string($0.name)), ("state", .string($0.stateType)),
                            ("event", .string($0.eventType)), ("doc", .string($0.doc)),
                        ])
                    })
            ),
            ("instance", Self.value(of: plugin?.instance)),
            ("loops", .list((plugin?.loops ?? []).map { .string($0.loop) })),
            ("needed", .list(file.needed.map { .string($0) })), ("swift", .bool(file.containsSwift)),
            ("unique-symbols", .list(file.uniqueSymbols.map { .string($0) })),
            ("executable-stack", .bool(file.hasExecutableStack)),
        ])
    }

    static func entry(_ kind: String, _ text: String, _ doc: String) -> [String] {
        let margin = String(repeating: " ", count: 9)
        let first = kind + margin.dropFirst(kind.count) + text
        return doc.isEmpty ? [first] : [first, margin + doc]
    }

    private static func prototype(_ emitter: EmitterDescription) -> String {
        "\(emitter.name)(\(emitter.fields.map { "\($0.type) \($0.name)" }.joined(separator: ", ")))"
    }

    static func map(_ entries: [(String, Value)]) -> Value {
        .map(entries.map { Value.MapEntry(key: .string($0.0), value: $0.1) })
    }
}
