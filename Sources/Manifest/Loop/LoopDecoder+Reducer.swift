import Diagnostics
import Interfaces
import Records

extension LoopDecoder {
    /// Decodes `reducer = "plugin:name"`; nil after a report, or if the plugin has a fault.
    func decodeReducer(_ node: TOMLNode) -> ReducerReference? {
        guard let text = node.string else { return nil }
        guard let (plugin, reducer) = manifest.parts(node, text) else {
            collector.error(
                .malformedReducer, "`\(text)` is not written `plugin:reducer`", at: node.span,
                help: ["write the plugin, a colon and the reducer, such as `levels:reduce`"])
            return nil
        }
        guard plugin.name != ManifestDecoder.standardName else {
            unknownReducer(reducer, of: plugin.name, among: [])
            return nil
        }
        guard let index = manifest.pluginIndex(plugin), let model = manifest.plugins[index].model else {
            return nil
        }
        guard model.sandbox == nil else {
            collector.error(
                .isolatedReducer,
                "`\(text)` cannot run in another process: a native reducer needs the state in each step",
                at: node.span,
                related: model.isolationSpan.map { [Diagnostic.Label($0, "its process")] } ?? [],
                help: [
                    "write `isolation = \"guarded\"`, or move the reducer into a library of its own"
                ])
            return nil
        }
        guard let description = model.description?.reducer(reducer.name) else {
            unknownReducer(reducer, of: plugin.name, among: model.description?.reducers.map(\.name) ?? [])
            return nil
        }
        let layout = LoopLayout(loop: name, state: stateType, events: [])
        guard (description.stateType, description.eventType) == (layout.stateName, layout.eventName) else {
            collector.error(
                .foreignReducer,
                "`\(text)` is a reducer for `\(description.stateType)` and `\(description.eventType)`, "
                    + "but this loop has `\(layout.stateName)` and `\(layout.eventName)`",
                at: node.span, related: [Diagnostic.Label(table.keySpan, "this loop")])
            return nil
        }
        guard model.description?.knows(loop: name) == true else {
            collector.error(
                .foreignReducer,
                "`\(text)` was compiled without this app's header, so its layout of `\(layout.stateName)` is unknown",
                at: node.span, related: [Diagnostic.Label(model.librarySpan, "this library")],
                help: ["write the header with `spinhost header`, and include it in the plugin"])
            return nil
        }
        return ReducerReference(plugin: index, description: description, span: node.span)
    }

    private func unknownReducer(
        _ reducer: ManifestDecoder.NamePart, of plugin: String, among names: @autoclosure () -> [String]
    ) {
        collector.error(
            .unknownReducer, "plugin `\(plugin)` has no reducer `\(reducer.name)`", at: reducer.span,
            label: names().isEmpty ? "it has no reducers" : "it has \(names().quoted)",
            help: [names().suggestion(for: reducer.name)])
    }

    /// Reports plugins of the loop that were compiled with a different layout of its records.
    func checkLayouts(of loop: LoopModel) {
        for index in loop.plugins.sorted() {
            guard let plugin = manifest.plugins[index].model else { continue }
            do { try plugin.description?.check(loop.layout) } catch {
                collector.add(
                    Diagnostic(
                        .error, error.code, error.message, at: plugin.librarySpan,
                        related: [Diagnostic.Label(table.keySpan, "this loop uses it")], help: error.help))
            }
        }
    }
}
