package import Interfaces
import Diagnostics
import Manifest

/// A check of a manifest with the texts of open files. It may run on any thread.
package struct CheckJob: Sendable {
    /// The path of the manifest, without links.
    let root: String
    /// Counts the changes of texts; a later check has a greater number.
    let generation: Int
    /// The texts of open files, by path without links.
    let buffers: [String: String]

    /// The outcome of a check.
    package struct Outcome: Sendable {
        let root: String
        let generation: Int
        let analysis: Manifest.Analysis
        /// Nil if even the repaired texts are not TOML.
        let model: ProjectModel?
    }

    /// Checks the texts. If one is not TOML, it checks a repaired copy, too, for what editors ask of expressions.
    package func run(standardPlugin: PluginDescription) -> Outcome {
        let analysis = Manifest.analyse(path: root, standardPlugin: standardPlugin, buffers: buffers)
        var checked = analysis
        if !analysis.isParsed {
            let repaired = buffers.mapValues {
                String(decoding: ManifestIndex(Array($0.utf8)).repaired, as: UTF8.self)
            }
            checked = Manifest.analyse(path: root, standardPlugin: standardPlugin, buffers: repaired)
        }
        return Outcome(
            root: root, generation: generation, analysis: analysis,
            model: checked.isParsed ? ProjectModel(checked) : nil)
    }
}
