import Diagnostics
import Interfaces

extension ManifestDecoder {
    /// A plugin of the manifest, as far as it is decoded.
    struct Plugin {
        let name: String
        /// Nil for a plugin with a fault. Uses of its effects cause no further reports.
        let model: PluginModel?
        /// Its file; nil for a library of the system.
        let file: ELFFile?
        /// The symbols that the file exports, kept because every feedback looks them up; empty without
        /// `declares`.
        let exported: Set<String>

        init(name: String, model: PluginModel? = nil, file: ELFFile? = nil) {
            (self.name, self.model, self.file) = (name, model, file)
            exported = model?.declarations == nil ? [] : Set(file?.definedSymbols ?? [])
        }
    }

    /// Decodes `[plugins.X]`: finds its library, reads its notes, and parses `declares`.
    func decodePlugin(_ table: TableReader, _ entry: TOMLEntry, pluginPath: [String]) -> Plugin {
        let library = table.value("library")
        table.missing(
            "library", help: "name a file, such as `library = \"./\(entry.key).so\"`, or `libc.so.6`")
        if let name = library?.string, let file = path(name, among: pluginPath) { libraries.append(file) }
        let declares = table.value("declares")
        let declarations = declares.map { node in
            let text = self.text(of: node)
            let declarations = CDeclarations(parsing: text.text)
            for fault in declarations.faults { collector.add(fault.diagnostic(in: text)) }
            return declarations
        }
        let headers = table.strings("headers")?.map(\.text) ?? []
        let isolation = decodeIsolation(table, of: entry.key)
        if let build = build(table, named: entry.key, pluginPath: pluginPath) { builds.append(build) }
        func faulty() -> Plugin { Plugin(name: entry.key) }
        guard readsLibraries, let library, let name = library.string else { return faulty() }
        do {
            let location = try LibraryLocation.resolve(
                library: name, manifestFolder: folder, pluginPath: pluginPath)
            var description: PluginDescription?
            var (file, sha256): (ELFFile?, String?) = (nil, nil)
            switch location {
            case .file(let path):
                try allowed?.check(path: path)
                sha256 = hash(table)
                if let sha256 { try LibraryHash.check(sha256, path: path) }
                let read = try ELFFile(path: path)
                description = try PluginDescription.read(from: read)
                file = read
                if description == nil, declares == nil {
                    collector.error(
                        .missingKey,
                        "`\(name)` has no notes that describe its functions, and `declares` is missing",
                        at: library.span,
                        help: ["declare its functions: `declares = \"int answer(void);\"`"])
                    return faulty()
                }
            case .system(let name):
                try allowed?.check(system: name)
                if let span = table.span(of: "sha256") {
                    collector.error(
                        .conflictingKeys,
                        "`sha256` needs a file, but the dynamic loader finds `\(name)` by its name",
                        at: span, help: ["write the library's path"])
                }
                guard declares != nil else {
                    collector.error(
                        .missingKey,
                        "`\(name)` is neither beside the manifest nor in a folder of `plugin-path`, and "
                            + "`declares` is missing",
                        at: library.span,
                        help: [
                            IncludedPlugin.advice(for: name), "build it, or write its path",
                            "for a library of the system, add `declares`",
                        ])
                    return faulty()
                }
            }
            let config = settings(table, of: description, named: entry.key)
            let undeclared: Set<String> = ["source", "build", "config"]
            let (free, release) = (table.value("free"), table.value("release"))
            // A library that it needs may define the symbol, which only the loader knows. Then nothing is
            // checked.
            for node in [free, release].compactMap(\.self) {
                guard let file, file.needed.isEmpty, let symbol = node.string, !file.defines(symbol) else {
                    continue
                }
                collector.error(
                    .missingSymbol, "`\(name)` does not export `\(symbol)`", at: node.span,
                    help: [file.definedSymbols.suggestion(for: symbol)])
            }
            return Plugin(
                name: entry.key,
                model: PluginModel(
                    name: entry.key, location: location, declarations: declarations,
                    declarationsText: declares.map { self.text(of: $0) }, description: description,
                    headers: headers, freeFunction: free?.string, freeSpan: free?.span,
                    release: release.flatMap { releaseFunction($0, declarations) },
                    releaseSpan: release?.span,
                    sha256: sha256, isolation: isolation.model, isolationSpan: isolation.span,
                    sandbox: isolation.sandbox, sandboxSpans: isolation.sandboxSpans,
                    config: config?.values, settingSpans: config?.spans ?? [:],
                    instance: table.word("instance", as: InstanceScope.self) ?? .loop,
                    declared: DeclaredValue(
                        table.node, without: isDevelopment ? undeclared.union(["sha256"]) : undeclared),
                    span: entry.keySpan,
                    librarySpan: library.span),
                file: file)
        } catch {
            let hash = error.code == .hashMismatch ? table.value("sha256")?.span : nil
            collector.add(
                Diagnostic(.error, error.code, error.message, at: hash ?? library.span, help: error.help))
            return faulty()
        }
    }

    /// Decodes how to build the library of a plugin; nil without `source`, and after a report.
    private func build(_ table: TableReader, named name: String, pluginPath: [String]) -> PluginBuild? {
        let command = table.strings("build")
        guard let sources = table.strings("source") else {
            if let span = table.span(of: "build"), table.span(of: "source") == nil {
                collector.error(
                    .conflictingKeys, "`build` needs `source`", at: span,
                    help: ["name the files from which the library is built: `source = \"…\"`"])
            }
            return nil
        }
        for (key, words) in [("source", sources), ("build", command ?? [])] {
            for (text, node) in words where text.isEmpty || text.utf8.contains(0) {
                collector.error(
                    .invalidName,
                    "`\(key)` has an empty name, or one with a NUL character", at: node.span,
                    help: [key == "source" ? "write a file or a folder" : "write a command"])
                return nil
            }
            if words.isEmpty, let node = table.value(key) {
                collector.error(
                    .invalidName, "`\(key)` is an empty list", at: node.span, help: ["remove it"])
                return nil
            }
        }
        guard let library = table.string("library"), let path = path(library, among: pluginPath) else {
            return nil
        }
        return PluginBuild(
            plugin: name, library: path, folder: folder, sources: sources.compactMap { self.path($0.text) },
            command: command.flatMap { words in
                if case .array? = table.value("build")?.content { return .words(words.map(\.text)) }
                return words.first.map { .line($0.text) }
            }, span: table.span(of: "source") ?? table.keySpan,
            librarySpan: table.value("library")?.span ?? table.keySpan)
    }

    /// The absolute path of a file, for a path relative to the manifest's folder. A bare name is searched in
    /// `folders`; if no folder has it, the path is in the first of them. Nil for an invalid path.
    private func path(_ name: String, among folders: [String] = ["."]) -> String? {
        for library in [name, "\(folders[0])/\(name)"] {
            let location = try? LibraryLocation.resolve(
                library: library, manifestFolder: folder, pluginPath: folders)
            if case .file(let path)? = location { return path }
        }
        return nil
    }

    /// The function that `release` names, which closes pointers of the plugin; nil after a report.
    private func releaseFunction(_ node: TOMLNode, _ declarations: CDeclarations?) -> CFunction? {
        guard let name = node.string else { return nil }
        guard let function = declarations?.function(name) else {
            // A declaration with a fault has been reported already.
            guard declarations?.refused.contains(name) != true else { return nil }
            collector.error(
                .cannotRelease, "`declares` does not declare `\(name)`", at: node.span,
                help: [
                    "declare it with the pointer that it closes: `declares = \"void \(name)(struct NAME *it);\"`",
                    declarations?.functions.map(\.name).suggestion(for: name),
                ])
            return nil
        }
        guard function.closesPointers else {
            collector.error(
                .cannotRelease,
                "`\(name)` cannot close pointers: its only parameter must be a non-const pointer",
                at: node.span, label: "it is declared `\(function.text)`")
            return nil
        }
        return function
    }

    /// An effect that a feedback names.
    struct Effect {
        let provider: EffectReference.Provider
        let name: String
        let function: CFunction
        let description: EffectDescription?
        /// Its plugin; nil for `std`.
        let plugin: PluginModel?
        /// The possible emissions of the plugin's effects.
        let emitters: [EmitterDescription]

        /// True if it takes the instance that all loops share.
        var sharesInstance: Bool { function.takesInstance && plugin?.instance == .app }

        /// Whether another process makes its calls.
        var isInWorker: Bool { plugin?.isolation == .process }
    }

    /// A name that is part of a string.
    struct NamePart {
        let name: String
        let span: SourceSpan
    }

    /// The two names in a string `plugin:name`; nil for any other string.
    func parts(_ node: TOMLNode, _ text: String) -> (plugin: NamePart, name: NamePart)? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let (plugin, name) = (text[..<colon], text[text.utf8.index(after: colon)...])
        guard !plugin.isEmpty, !name.isEmpty, !name.utf8.contains(UInt8(ascii: ":")) else { return nil }
        let content = self.text(of: node)
        let split = plugin.utf8.count
        return (
            NamePart(name: String(plugin), span: content.span(of: 0..<split)),
            NamePart(name: String(name), span: content.span(of: split + 1..<text.utf8.count))
        )
    }

    /// The index in `plugins` of the plugin with a name; nil after a report.
    func pluginIndex(_ plugin: NamePart) -> Int? {
        if let index = pluginIndices[plugin.name] { return index }
        var names: [String] { plugins.map(\.name) + [Self.standardName] }
        collector.error(
            .unknownPlugin, "there is no plugin `\(plugin.name)`", at: plugin.span,
            label: "known plugins: \(names.quoted)",
            help: [names.suggestion(for: plugin.name), IncludedPlugin.advice(for: plugin.name)])
        return nil
    }

    /// Finds the effect `plugin:effect`; nil after a report, or if its plugin has a fault.
    func effect(_ node: TOMLNode, _ text: String) -> Effect? {
        guard let (plugin, wanted) = parts(node, text) else {
            collector.error(
                .malformedEffect, "`\(text)` is not written `plugin:effect`", at: node.span,
                help: ["write the plugin, a colon and the effect, such as `std:print`"])
            return nil
        }
        let (name, effectSpan) = (wanted.name, wanted.span)
        if plugin.name == Self.standardName {
            guard let effect = standardPlugin.effect(name) else {
                unknownEffect(name, of: "std", among: standardPlugin.effects.map(\.name), at: effectSpan)
                return nil
            }
            return Effect(
                provider: .standard, name: effect.name, function: effect.function, description: effect,
                plugin: nil, emitters: standardPlugin.emitters)
        }
        guard let index = pluginIndex(plugin), let model = plugins[index].model else { return nil }
        let described = model.description?.effect(name)
        guard let function = described?.function ?? model.declarations?.function(name) else {
            guard model.declarations?.refused.contains(name) != true else { return nil }
            unknownEffect(
                name, of: plugin.name,
                among: (model.description?.effects.map(\.name) ?? [])
                    + (model.declarations?.functions.map(\.name) ?? []), at: effectSpan)
            return nil
        }
        // The host finds an effect with a note through the note, so the library need not export its function.
        if described == nil, let file = plugins[index].file, !plugins[index].exported.contains(function.name)
        {
            collector.error(
                .missingSymbol, "the library of `\(plugin.name)` does not export `\(function.name)`",
                at: effectSpan,
                related: [Diagnostic.Label(model.librarySpan, "this library")],
                help: [file.definedSymbols.suggestion(for: function.name)])
            return nil
        }
        return Effect(
            provider: .plugin(index), name: name, function: function, description: described,
            plugin: model, emitters: model.description?.emitters ?? [])
    }

    private func unknownEffect(
        _ name: String, of plugin: String, among names: @autoclosure () -> [String], at span: SourceSpan
    ) {
        collector.error(
            .unknownEffect, "plugin `\(plugin)` has no effect `\(name)`", at: span,
            label: names().isEmpty ? "it has no effects" : "it has \(names().quoted)",
            help: [names().suggestion(for: name)])
    }
}
