import App
import ArgumentParser
import Diagnostics
import FoundationEssentials
import Glibc
import Manifest

/// Which service a verb is about.
struct ServiceOptions: ParsableArguments {
    @Flag(help: "A service of this user, in place of one of the system.")
    var user = false

    @Option(help: ArgumentHelp("The service's name; that of the app by default.", valueName: "name"))
    var name: String?

    func validate() throws {
        guard let name, !ServiceUnit.isName(name) else { return }
        throw ValidationError(
            "a service cannot have the name `\(name)`: use letters, digits, `-`, `_` and `.`")
    }

    /// The folder of the units that an administrator, or the user, has made.
    var folder: String {
        guard user else { return "/etc/systemd/system" }
        func variable(_ name: String) -> String? {
            // Safe because no thread changes the environment, and the text is copied.
            unsafe getenv(name).map { unsafe String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        return "\(variable("XDG_CONFIG_HOME") ?? "\(variable("HOME") ?? "")/.config")/systemd/user"
    }

    /// The unit of the manifest's app.
    ///
    /// - Throws: an exit code, after the reason was printed.
    func unit(of path: String) throws -> ServiceUnit {
        let manifest = try LoadedManifest.loadForService(path)
        let name = name ?? manifest.name
        guard ServiceUnit.isName(name) else {
            ErrorOutput.show(
                "a service cannot have the name `\(name)`", help: ["give it another one with `--name`"])
            throw ExitStatus.usage
        }
        let (file, folder) = (Self.absolute(path), Self.absolute(manifest.folder))
        // Safe because the buffer is freed here, and has the program's path with a NUL.
        guard let program = unsafe realpath("/proc/self/exe", nil) else { throw ExitStatus.unexpected }
        defer { unsafe free(program) }
        for path in [file, folder] where path.utf8.contains(where: { $0 < 0x20 }) {
            ErrorOutput.show("a unit cannot name a path with control characters", help: ["rename the folder"])
            throw ExitStatus.no
        }
        return unsafe ServiceUnit(
            owner: user ? .user : .system, name: name, program: String(cString: program), manifest: file,
            folder: folder, journal: manifest.journal.map { String($0.path.split(separator: "/").last ?? "") }
        )
    }

    /// The path from the root, without links.
    private static func absolute(_ path: String) -> String {
        // Safe because the buffer is freed here, and has the path with a NUL.
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }
}

/// Asks the user, unless the command line has answered already.
struct ConsentOption: ParsableArguments {
    @Flag(help: "Do not ask.")
    var yes = false

    /// Asks on the terminal.
    ///
    /// - Throws: an exit code when the answer is no, or nobody can be asked. The reason was printed.
    func ask(_ question: String) throws {
        guard !yes else { return }
        guard Terminal.isTerminal(STDIN_FILENO) else {
            ErrorOutput.show(
                "nothing was changed: the standard input is no terminal, so nobody can be asked",
                help: ["`--yes` answers the question"])
            throw ExitStatus.no
        }
        ErrorOutput.write("\(question) [y/N] ")
        guard let answer = readLine()?.lowercased(), ["y", "yes"].contains(answer) else {
            ErrorOutput.line("nothing was changed")
            throw ExitStatus.no
        }
    }
}

extension LoadedManifest {
    /// The manifest of a service. Secrets that only the service gets may be missing.
    ///
    /// - Throws: an exit code, after everything that is wrong was printed.
    fileprivate static func loadForService(_ path: String) throws -> Manifest {
        let loaded = App.loadManifest(path: path)
        let missing = ManifestCode.secretMissing.code
        let isComplete = loaded.diagnostics.allSatisfy { $0.severity != .error || $0.code == missing }
        guard isComplete, let outline = loaded.outline else { return try accept(loaded, of: path) }
        Redaction.conceal(loaded.secrets)
        let renderer = DiagnosticRenderer(color: Terminal.hasColor(STDERR_FILENO))
        for diagnostic in loaded.diagnostics {
            guard diagnostic.code == missing else {
                ErrorOutput.write(renderer.render(diagnostic))
                continue
            }
            ErrorOutput.line("note: the service will need this secret: \(diagnostic.message)")
        }
        return outline
    }
}
