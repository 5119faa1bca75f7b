import ArgumentParser
import Diagnostics
import Glibc
import Manifest
import PluginHost

/// `spinhost fmt`
struct FmtCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fmt", abstract: "Format the manifest and the files that it includes.",
        discussion: """
            It prints the names of the files that it changes. Comments, keys and values stay as they are, and so do the \
            lines into which an array is broken. It refuses a file that is not TOML. Files outside of the manifest's \
            folder are formatted only if they are named.
            """)

    @Argument(
        help: "Files to format instead; `-` formats stdin to stdout.", completion: .file(extensions: ["toml"])
    )
    var files: [String] = []

    @OptionGroup var manifestOptions: ManifestOptions
    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    @Flag(
        help: "Change nothing, but print the names of files that are not formatted. The exit code is then 1.")
    var check = false

    func validate() throws {
        try runOptions.refuse()
        if !files.isEmpty, manifestOptions.given != nil {
            throw ValidationError("`--manifest` and names of files exclude each other")
        }
        if files.contains("-"), files.count > 1 {
            throw ValidationError("`-` and names of files exclude each other")
        }
    }

    func run() throws {
        let output = try CommandOutput()
        if files == ["-"] { return try formatInput(output) }
        let places = files.isEmpty ? Manifest.places(of: manifestOptions.manifest) : nil
        var failures: Set<ExitCode> = []
        for path in places?.files ?? files {
            guard places?.outside[path] == nil else {
                // It may belong to others.
                ErrorOutput.line(
                    "note: `\(path.shown)` is outside of the manifest's folder; name it to format it, too")
                continue
            }
            do throws(ExitCode) {
                guard try format(path, fault: places?.faults[path]) else { continue }
            } catch {
                failures.insert(error)
                continue
            }
            try output.line(path)
            if check { failures.insert(ExitStatus.no) }
        }
        let order = [ExitStatus.unreadable, ExitStatus.invalidManifest, ExitStatus.unexpected, ExitStatus.no]
        if let gravest = order.first(where: failures.contains) { throw gravest }
    }

    /// Formats a file. It returns whether the file was not formatted before.
    ///
    /// - Parameter fault: why a file of the manifest cannot be read, with its place in `include`.
    /// - Throws: an exit code, after it has printed the reason.
    private func format(_ path: String, fault: Diagnostic?) throws(ExitCode) -> Bool {
        let before: [UInt8]
        do { before = try ManifestFormatter.read(path) } catch { throw refuse(fault ?? error, of: path) }
        let after = try formatted(before, name: path)
        guard after != before else { return false }
        guard !check else { return true }
        do { try WrittenFile.overwrite(path, with: after) } catch {
            ErrorOutput.line("error: `\(path)` cannot be written: \(error.text)")
            throw ExitStatus.unexpected
        }
        return true
    }

    private func formatInput(_ output: CommandOutput) throws {
        let name = "stdin"
        // One byte more, so that the formatter refuses an input that is too large.
        guard let before = FileContent.readInput(atMost: Manifest.maximumSize + 1) else {
            ErrorOutput.line("error: `\(name)` cannot be read: \(SystemError(number: errno).text)")
            throw ExitStatus.unreadable
        }
        let after = try formatted(before, name: name)
        if !check {
            // The output adds the last line end.
            if !after.isEmpty { try output.line(String(decoding: after.dropLast(), as: UTF8.self)) }
        } else if after != before {
            try output.line(name)
            throw ExitStatus.no
        }
    }

    private func formatted(_ bytes: [UInt8], name: String) throws(ExitCode) -> [UInt8] {
        let result: [UInt8]?
        do { result = try ManifestFormatter.formatted(bytes, name: name) } catch {
            throw refuse(error, of: name)
        }
        guard let result else {
            ErrorOutput.line(
                "error: `\(name)` is unchanged, because its formatted text would have another meaning")
            ErrorOutput.line("this is a fault of spinhost; please report it")
            throw ExitStatus.unexpected
        }
        return result
    }

    private func refuse(_ fault: Diagnostic, of name: String) -> ExitCode {
        let renderer = DiagnosticRenderer(color: Terminal.hasColor(STDERR_FILENO))
        ErrorOutput.write(renderer.render([fault], in: fault.place?.span.file.name ?? name))
        return LoadedManifest.exitStatus(of: [fault])
    }
}
