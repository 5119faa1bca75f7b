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
        return Analysis(
            loaded: checked.loaded, files: files,
            isParsed: checked.loaded.outline != nil
                && !checked.loaded.diagnostics.contains { $0.isSyntactic },
            plugins: checked.loaded.outline?.plugins ?? [], standardPlugin: standardPlugin,
            expressions: scopes.entries, loopScopes: scopes.loops)
    }
}

extension Manifest {
    /// The names of the types that every manifest has.
    package static var typeNames: [String] { TypeSyntax.simpleNames }

    /// The path without links and `..`; nil if there is no such file.
    package static func realPath(of path: String) -> String? { ManifestSources.realPath(path) }
}

extension Diagnostic {
    /// Whether a text is not TOML.
    package var isSyntactic: Bool { code.rawValue.hasPrefix("T") && place != nil }
}
