import ArgumentParser
import Records

/// `spinhost report`
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "List the crashes of apps on this machine, or show the report of one.",
        discussion: """
            When a plugin ends the process, the host leaves a report in the state folder of its service or its user. \
            Nothing is sent anywhere.
            """)

    @Argument(help: "The report; without it, all are listed.", completion: .file(extensions: ["json"]))
    var file: String?

    @Flag(help: "Show the newest report.")
    var last = false

    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup(visibility: .hidden) var noManifest: NoManifestOptions

    func validate() throws {
        if last && file != nil { throw ValidationError("`--last` and a file contradict each other") }
    }

    func run() throws {
        let folder = CrashFolder.standard
        if let file { return try show(file) }
        let files = folder.files
        guard let newest = files.first else {
            return ErrorOutput.line("no report of a crash in `\(folder.path)`")
        }
        if last { return try show(newest) }
        let output = try CommandOutput()
        for file in files {
            guard let report = CrashReport(at: file) else { continue }
            if outputOptions.json {
                try output.line(report.json.json)
            } else {
                try output.line("\(report.time)  \(report.app): \(report.reason)\n  \(file)")
            }
        }
    }

    private func show(_ file: String) throws {
        guard let content = FileContent.read(file, atMost: 1 << 20) else {
            ErrorOutput.show("there is no file `\(file)`", help: ["`spinhost report` lists the reports"])
            throw ExitStatus.unreadable
        }
        guard let report = CrashReport(String(decoding: content, as: UTF8.self)) else {
            ErrorOutput.show(
                "`\(file)` is not the report of a crash", help: ["`spinhost report` lists the reports"])
            throw ExitStatus.unreadable
        }
        let output = try CommandOutput()
        try output.line(outputOptions.json ? report.json.json : String(report.lines.dropLast()))
    }
}
