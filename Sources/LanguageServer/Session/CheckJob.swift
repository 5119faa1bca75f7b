package import Interfaces
import Diagnostics
import Manifest

/// A check of a manifest with the texts of open files. It may run on any thread.
package struct CheckJob: Sendable {
    /// The path of the manifest, without links.
    let root: String
    /// The texts of open files, by path without links.
    let buffers: [String: String]
    /// What columns of the protocol count.
    let unit: TextLines.Unit

    /// The outcome of a check.
    package struct Outcome: Sendable {
        let root: String
        let analysis: Manifest.Analysis
        /// Nil if even the repaired texts are not TOML.
        let model: ProjectModel?
        /// The files of the manifest that are not open, by path without links.
        let closed: [String: ManifestText]

        /// Texts that no message may show.
        package var secrets: [String] { analysis.loaded.secrets }
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
        let closed = analysis.files.map { (Manifest.realPath(of: $0.name), $0) }.filter {
            buffers[$0.0] == nil
        }
        return Outcome(
            root: root, analysis: analysis, model: checked.isParsed ? ProjectModel(checked) : nil,
            closed: Dictionary(
                closed.map { ($0, ManifestText(path: $0, TextLines($1.text, unit))) },
                uniquingKeysWith: { first, _ in first }))
    }
}
