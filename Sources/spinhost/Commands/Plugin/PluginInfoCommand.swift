import ArgumentParser
import Diagnostics
import Interfaces
import Records

/// `spinhost plugin info`
struct PluginInfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Print what a plugin provides, without running any of its code.",
        discussion: """
            Reads identity, effects, emitters and reducers from the file's notes. A library without notes is not an \
            error: the manifest declares its functions.
            """)

    @Argument(help: "The library: a path.", completion: .file())
    var file: String

    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws { try runOptions.refuse() }

    func run() throws {
        let output = try CommandOutput()
        let report: PluginReport
        do { report = try PluginReport(path: file) } catch {
            ErrorOutput.show(Diagnostic(.error, error.code, error.message, help: error.help))
            let isUnreadable = [.fileMissing, .fileIsDirectory, .fileUnreadable, .fileIsSpecial].contains(
                error.code)
            throw isUnreadable ? ExitStatus.unreadable : ExitStatus.no
        }
        if outputOptions.json { return try output.line(report.value.json) }
        for line in report.lines { try output.line(line) }
    }
}
