import ArgumentParser
import Records

/// `spinhost doctor`
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Print what this machine has of all that spinhost uses, and how to get the rest.",
        discussion: """
            Most of it is for authors of plugins, or for plugins in processes of their own. The exit code is 69 if no app can \
            run here. Packages have the names of Debian.
            """)

    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup(visibility: .hidden) var noManifest: NoManifestOptions

    func run() throws {
        let output = try CommandOutput()
        let findings = DoctorCheckup.findings
        for finding in findings {
            try output.line(outputOptions.json ? finding.json.json : finding.line)
        }
        if findings.contains(where: \.isFatal) { throw ExitStatus.unavailable }
    }
}
