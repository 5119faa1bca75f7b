import Diagnostics
import Expressions
import Interfaces
import Manifest

/// What the last check of a manifest that is TOML found out.
struct ProjectModel: Sendable {
    /// What the names of an expression mean, by the path of its key.
    let scopes: [[String]: Scope]
    /// Whether a file has a table of loops.
    let hasLoops: Bool
    /// What the names of all expressions of a loop mean, by its name.
    let loopScopes: [String: Scope]
    /// The plugins without a fault, by name.
    let plugins: [String: PluginModel]
    let standardPlugin: PluginDescription

    /// - Parameter analysis: that of texts that are TOML.
    init(_ analysis: Manifest.Analysis) {
        var scopes: [[String]: Scope] = [:]
        let texts = analysis.files.map { ManifestText(path: $0.name, TextLines($0.text, .utf8)) }
        for entry in analysis.expressions {
            let file = entry.start.file
            guard file.order < texts.count, analysis.files[file.order] === file else { continue }
            let text = texts[file.order]
            guard let node = text.index.scalar(at: text.lines.offset(of: entry.start.start)) else { continue }
            scopes[text.index.path(of: node)] = entry.scope
        }
        self.scopes = scopes
        hasLoops = texts.contains { $0.index.child("loops", of: 0) != nil }
        loopScopes = analysis.loopScopes
        plugins = Dictionary(analysis.plugins.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        standardPlugin = analysis.standardPlugin
    }

    /// The scope of the expression whose path has the most in common with another one: the same feedback, or the same
    /// transition. Nil if none has.
    func nearestScope(to path: [String]) -> Scope? {
        var best: (count: Int, isSameKey: Bool, path: [String])?
        for other in scopes.keys {
            let count = zip(path, other).prefix { $0 == $1 }.count
            // A loop alone in common says nothing: its names are in `loopScopes`.
            guard count > 3 else { continue }
            let isSameKey = path.last == other.last
            if let best, (count, isSameKey ? 1 : 0) < (best.count, best.isSameKey ? 1 : 0) { continue }
            if let best, (count, isSameKey) == (best.count, best.isSameKey),
                best.path.lexicographicallyPrecedes(other)
            {
                continue
            }
            best = (count, isSameKey, other)
        }
        return best.flatMap { scopes[$0.path] }
    }

    /// The declaration of an effect, and its documentation; nil for an effect that is not known.
    func effect(_ name: String, of plugin: String) -> (function: CFunction, doc: String)? {
        let description =
            plugin == Manifest.standardPluginName ? standardPlugin : plugins[plugin]?.description
        if let effect = description?.effect(name) { return (effect.function, effect.doc) }
        return plugins[plugin]?.declarations?.function(name).map { ($0, "") }
    }

    /// The declarations of all effects of a plugin, with their documentation.
    func effects(of plugin: String) -> [(function: CFunction, doc: String)] {
        let description =
            plugin == Manifest.standardPluginName ? standardPlugin : plugins[plugin]?.description
        let described = (description?.effects ?? []).map { ($0.function, $0.doc) }
        let names = Set(described.map(\.0.name))
        let declared = plugins[plugin]?.declarations?.functions.filter { !names.contains($0.name) } ?? []
        return described + declared.map { ($0, "") }
    }
}
