package import Diagnostics
package import Expressions
package import Interfaces

extension Manifest {
    /// What an editor needs of a checked manifest.
    package struct Analysis: Sendable {
        package let loaded: Loaded
        /// The texts that were checked: the manifest first, then those that it includes.
        package let files: [SourceFile]
        /// Whether all of them are TOML. Otherwise nothing was checked but their syntax.
        package let isParsed: Bool
        /// The plugins without a fault.
        package let plugins: [PluginModel]
        package let standardPlugin: PluginDescription
        /// Where expressions start, and what their names mean.
        package let expressions: [ScopeRecorder.Entry]
        /// The names of all expressions of a loop, by its name.
        package let loopScopes: [String: Scope]
    }

    /// Reads and checks the file at `path`, as `load` does, with texts of an editor in place of files.
    ///
    /// - Parameter buffers: the texts by the real paths of their files.
    package static func analyse(
        path: String, standardPlugin: PluginDescription, buffers: [String: String]
    ) -> Analysis {
        let (collector, scopes) = (DiagnosticCollector(), ScopeRecorder())
        let checked = check(
            path: path, standardPlugin: standardPlugin, overrides: [], JournalOverride(),
            readsLibraries: true, isDevelopment: false, collector, buffers: buffers, scopes: scopes)
        let files = checked.sources.files.map(\.file)
        let isBroken = checked.sources.faults.values.contains { fault in
            fault.code.rawValue.hasPrefix("T") && fault.place != nil
        }
        return Analysis(
            loaded: checked.loaded, files: files,
            isParsed: checked.loaded.outline != nil && !isBroken,
            plugins: checked.loaded.outline?.plugins ?? [], standardPlugin: standardPlugin,
            expressions: scopes.entries, loopScopes: scopes.loops)
    }
}

extension Manifest {
    /// The names of the types that every manifest has.
    package static var typeNames: [String] { TypeSyntax.simpleNames }

    /// The names that a name for a value cannot have in any loop.
    package static var reservedNames: Set<String> { ExpressionScope.names.union(Scope.names) }

    /// The name of the built-in plugin.
    package static var standardPluginName: String { ManifestDecoder.standardName }

    /// The path without links and `..`. Of a file that does not exist, it is that of its folder with the name.
    package static func realPath(of path: String) -> String {
        if let real = ManifestSources.realPath(path) { return real }
        guard let slash = path.lastIndex(of: "/"), let folder = ManifestSources.realPath("\(path[..<slash])/")
        else { return path }
        return (folder == "/" ? "" : folder) + path[slash...]
    }
}
