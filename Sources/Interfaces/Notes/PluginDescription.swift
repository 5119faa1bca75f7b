import Diagnostics
import Records

/// The description of a plugin in its notes: identity, effects, emitters, records, reducers, and the layouts
/// of loops.
/// The host reads it without running any of the plugin's code.
public struct PluginDescription: Hashable, Sendable {
    /// The ABI version that a host must have: the major version of its header, and the least minor version that
    /// has all of what it declares.
    public let abi: ABIVersion
    /// Its name, such as `levels`: a letter, then letters, digits, `.`, `-` and `_`.
    public let id: String
    /// Its own version, such as `1.0.0`.
    public let version: String
    /// Its effects, in the file's order; names are unique.
    public let effects: [EffectDescription]
    /// The possible emissions of its effects, in the file's order; names are unique.
    public let emitters: [EmitterDescription]
    /// Its reducers, in the file's order; names are unique.
    public let reducers: [ReducerDescription]
    /// The structs that it declares for its effects and emissions; names are unique.
    public let records: [RecordDescription]
    /// The layouts of loops that it was compiled with, in the file's order, without repetitions. If its files
    /// were compiled with different headers, a loop may have several layouts.
    public let loops: [LoopLayout]

    /// The description of its instances; nil for a plugin without instances.
    public let instance: InstanceDescription?

    private let effectIndices: [String: Int]

    /// The effect of that name; nil for an unknown name. Each plugin with instances has the effect `*`.
    public func effect(_ name: String) -> EffectDescription? {
        if instance != nil, name == EffectDescription.listening.name { return .listening }
        return effectIndices[name].map { effects[$0] }
    }

    /// The emitter of that name; nil if there is none.
    public func emitter(_ name: String) -> EmitterDescription? { emitters.first { $0.name == name } }

    /// The reducer of that name; nil if there is none.
    public func reducer(_ name: String) -> ReducerDescription? { reducers.first { $0.name == name } }

    /// True if the plugin was compiled with structs of the loop of that name.
    public func knows(loop: String) -> Bool { loops.contains { $0.loop == loop } }

    /// Checks the plugin's structs of a loop, if it has any, against the manifest's present layout.
    ///
    /// - Throws: `DiagnosticCode.layoutMismatch` with the first field that differs.
    public func check(_ layout: LoopLayout) throws(InterfaceError) {
        for compiled in loops where compiled.loop == layout.loop {
            guard let difference = layout.firstDifference(in: compiled) else { continue }
            throw InterfaceError(
                .layoutMismatch, "plugin `\(id)` was compiled with another header: \(difference)",
                help: ["run `spinhost header` and rebuild the plugin"])
        }
    }

    /// The notes of a library's file that `read` uses. If two files have equal notes, their descriptions are
    /// equal.
    public static func notes(of file: ELFFile) -> [ELFNote] {
        file.notes.filter { $0.owner == PluginNote.owner }
    }

    /// Reads the notes of a library's file.
    ///
    /// - Returns: nil for a library without such notes. A manifest must declare its functions.
    /// - Throws: `InterfaceError` for a note that is not UTF-8, and for the faults of `init(notes:host:)`.
    public static func read(
        from file: ELFFile, host: ABIVersion = .host
    ) throws(InterfaceError) -> PluginDescription? {
        var notes: [PluginNote] = []
        let needed = Self.notes(of: file).map(PluginNote.neededMinor).max() ?? 0
        for note in Self.notes(of: file) {
            guard let read = PluginNote(note) else {
                // A kind of a later version. `neededMinor` decides whether the host can do without it.
                if PluginNote.Kind(note) == nil, needed > host.minor { continue }
                throw InterfaceError(
                    .fileMalformed,
                    "`\(file.path)` has a `\(PluginNote.owner)` note of type \(note.type) that cannot be read",
                    help: ["rebuild the plugin"])
            }
            notes.append(read)
        }
        return notes.isEmpty ? nil : try PluginDescription(notes: notes, neededMinor: needed, host: host)
    }

    /// Checks the notes of a plugin: the ABI version first, then identity, then what it declares.
    ///
    /// - Parameter neededMinor: the least ABI minor version that has all of what the notes describe.
    /// - Throws: `InterfaceError` for another ABI major, and for a needed minor that is newer than the host's.
    ///   Also for: a missing, repeated or malformed identity; a prototype that does not
    ///   parse or has another name; a failure test of an effect that emits; an emitted field of an
    ///   unsupported type; a name declared twice; an unreadable layout of a loop; an effect that takes an
    ///   instance, in a plugin without instances; the faults of `InstanceDescription` and `RecordReader`.
    public init(
        notes: [PluginNote], neededMinor: Int = 0, host: ABIVersion = .host
    ) throws(InterfaceError) {
        let identities = notes.filter { $0.kind == .plugin }
        guard let identity = identities.first else {
            throw InterfaceError(
                .pluginIdentity, "the plugin has no `SPIN_PLUGIN`, which declares its name and version",
                help: ["write `SPIN_PLUGIN(\"NAME\", \"1.0.0\");` in one of its files"])
        }
        abi = try Self.checkedABI(identity, neededMinor: neededMinor, host: host)
        (id, version) = (identity[1], identity[2])
        guard identities.count == 1 else {
            throw InterfaceError(
                .pluginIdentity,
                "the library declares \(identities.count) plugins: "
                    + identities.map { "`\($0[1])`" }.joined(separator: ", "),
                help: ["write `SPIN_PLUGIN` once in a library"])
        }
        try Self.checkIdentity(id: id, version: version)
        loops = try Self.loops(notes, of: id)
        let reader = try RecordReader(notes, of: id, types: Self.recordTypes(of: loops))
        records = reader.records
        var effects: [EffectDescription] = []
        var emitters: [EmitterDescription] = []
        var reducers: [ReducerDescription] = []
        var names: Set<[String]> = []
        var seen: Set<PluginNote> = []
        for note in notes {
            guard let what = note.kind.declared else { continue }
            // If several files include the same header, each of them repeats the header's emitters.
            if note.kind == .emitter, !seen.insert(note).inserted { continue }
            guard names.insert([what, note[0]]).inserted else {
                throw InterfaceError(
                    .pluginDeclaresTwice, "plugin `\(id)` declares \(what) `\(note[0])` twice",
                    help: ["give each its own name"])
            }
            if note.kind == .reducer {
                reducers.append(
                    ReducerDescription(
                        name: note[0], stateType: note[1], eventType: note[2], doc: note[3]))
                continue
            }
            let prototype = try Self.prototype(note, what: what, of: id, types: reader.types)
            if note.kind == .effect {
                guard note[2].isEmpty || !prototype.isEmitting else {
                    throw InterfaceError(
                        .pluginDeclaration,
                        "plugin `\(id)`, effect `\(note[0])`: it emits, so `\(note[2])` cannot be its "
                            + "failure test",
                        help: ["declare it with `SPIN_EFFECT`, and report failure with `spin_fail`"])
                }
                effects.append(
                    EffectDescription(name: note[0], function: prototype, failsIf: note[2], doc: note[3]))
            } else {
                do {
                    emitters.append(try EmitterDescription(name: note[0], prototype: prototype, doc: note[2]))
                } catch {
                    throw InterfaceError(error.code, "plugin `\(id)`: \(error.message)", help: error.help)
                }
            }
        }
        (self.effects, self.emitters, self.reducers) = (effects, emitters, reducers)
        instance = try InstanceDescription(notes, of: id)
        if instance == nil, let effect = effects.first(where: \.takesInstance) {
            throw InterfaceError(
                .pluginDeclaration,
                "plugin `\(id)`, effect `\(effect.name)`: it takes `spin_self *`, but the plugin has no instances",
                help: ["declare how to create them: `SPIN_INSTANCE(create, destroy);`"])
        }
        effectIndices = Dictionary(uniqueKeysWithValues: effects.indices.map { (effects[$0].name, $0) })
    }

    private static func loops(_ notes: [PluginNote], of id: String) throws(InterfaceError) -> [LoopLayout] {
        var loops: [LoopLayout] = []
        for note in notes where note.kind == .loop {
            guard let layout = LoopLayout(note) else {
                throw InterfaceError(
                    .layoutMismatch,
                    "plugin `\(id)` was compiled with a header for loop `\(note[0])` that this host cannot read",
                    help: ["run `spinhost header` and rebuild the plugin"])
            }
            if !loops.contains(layout) { loops.append(layout) }
        }
        return loops
    }

    /// The C types of the loops' records by name, for prototypes.
    private static func recordTypes(of loops: [LoopLayout]) -> [String: CType] {
        var types: [String: CType] = [:]
        // Loops `a` and `a_event` may give two structs one name. A prototype cannot use such a name.
        var ambiguous: Set<String> = []
        for loop in loops {
            let named = [(loop.stateName, loop.state)] + loop.events.map { (loop.payloadName($0), $0.type) }
            for (name, type) in named {
                let record = CType.value(CValue(name: name, type: .record(type)))
                if let other = types.updateValue(record, forKey: name), other != record {
                    ambiguous.insert(name)
                }
            }
        }
        return types.filter { !ambiguous.contains($0.key) }
    }

    private static func checkedABI(
        _ identity: PluginNote, neededMinor: Int, host: ABIVersion
    ) throws(InterfaceError) -> ABIVersion {
        func mismatch(_ field: String, _ expected: String, _ found: String, _ help: String) -> InterfaceError
        {
            let subject = identity[1].isEmpty ? "the plugin" : "plugin `\(identity[1])`"
            return InterfaceError(
                .abiMismatch,
                "\(subject) differs in \(field): expected \(expected), found \(found)",
                help: [help])
        }
        guard let abi = ABIVersion(identity[0]) else {
            throw mismatch(
                "its ABI version", "`MAJOR.MINOR`", "`\(identity[0])`", "rebuild it with `spinhost/plugin.h`")
        }
        guard abi.major == host.major else {
            throw mismatch(
                "the ABI's major version", "\(host.major)", "\(abi.major)",
                "rebuild it with the header of this host, or use a host for ABI \(abi.major)")
        }
        guard neededMinor <= host.minor else {
            throw mismatch(
                "the ABI's minor version", "at most \(host.minor)", "\(neededMinor)",
                "use a newer host, or rebuild the plugin with `SPIN_ABI_TARGET` \(host.minor)")
        }
        return ABIVersion(major: abi.major, minor: neededMinor)
    }

    private static func checkIdentity(id: String, version: String) throws(InterfaceError) {
        func isWord(_ text: String, also: String) -> Bool {
            (1...64).contains(text.utf8.count)
                && text.unicodeScalars.allSatisfy { scalar in
                    scalar.isASCII && (scalar.properties.isAlphabetic || "0"..."9" ~= scalar)
                        || also.unicodeScalars.contains(scalar)
                }
        }
        guard isWord(id, also: "._-"), let first = id.unicodeScalars.first, first.properties.isAlphabetic
        else {
            throw InterfaceError(
                .pluginIdentity, "`\(id)` is not a valid plugin id",
                help: ["an id is a letter, then letters, digits, `.`, `-` and `_`, at most 64 characters"])
        }
        guard isWord(version, also: ".+-"), let first = version.unicodeScalars.first, "0"..."9" ~= first
        else {
            throw InterfaceError(
                .pluginIdentity, "the version `\(version)` of plugin `\(id)` is not valid",
                help: [
                    "a version begins with a digit and has letters, digits, `.`, `-` and `+`, such as `1.0.0`"
                ])
        }
    }

    private static func prototype(
        _ note: PluginNote, what: String, of id: String, types: [String: CType]
    ) throws(InterfaceError) -> CFunction {
        let subject = "plugin `\(id)`, \(what) `\(note[0])`"
        let function: CFunction
        do throws(TextFault) { function = try CFunction(parsing: note[1], types: types) } catch {
            throw InterfaceError(
                .pluginDeclaration, "\(subject): \(error.message) in `\(note[1])`",
                help: error.helpInPlugin)
        }
        guard function.name == note[0] else {
            throw InterfaceError(
                .pluginDeclaration, "\(subject): its prototype declares `\(function.name)`",
                help: ["rebuild it with `spinhost/plugin.h`"])
        }
        guard what == "effect" || function.result == .void else {
            throw InterfaceError(
                .pluginDeclaration, "\(subject): its prototype returns `\(function.result)`, expected `void`",
                help: ["rebuild it with `spinhost/plugin.h`"])
        }
        return function
    }
}

extension PluginNote.Kind {
    /// What a note declares by a name that is unique in a plugin; nil for notes without such a name.
    fileprivate var declared: String? {
        switch self {
        case .effect, .emitter, .reducer: word
        case .plugin, .loop, .instance, .config, .life, .swap, .record, .reconfigure: nil
        }
    }
}
