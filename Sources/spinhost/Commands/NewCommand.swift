import ArgumentParser
import Glibc
import PluginHost

extension ProjectTemplate: ExpressibleByArgument {}

/// `spinhost new`
struct NewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Make a folder with a project that runs at once.")

    @Argument(help: "The project's name, and that of the new folder.")
    var name: String

    @Option(help: "What to begin with.")
    var template = ProjectTemplate.minimal

    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws {
        try runOptions.refuse()
        func isWord(_ character: Character) -> Bool {
            character.isASCII && (character.isLetter || character.isNumber)
        }
        guard let first = name.first, isWord(first), name.allSatisfy({ isWord($0) || "-_.".contains($0) }),
            name.utf8.count <= 64
        else {
            throw ValidationError(
                "`\(name)` cannot be a project's name: up to 64 letters, digits, `-`, `_` and `.`, a letter or digit first"
            )
        }
    }

    func run() throws {
        let output = try CommandOutput()
        // Safe because the path is a NUL-terminated copy for the call.
        guard unsafe mkdir(name, 0o777) == 0 else { throw refuse(name) }
        for file in template.files(name) { try write(file) }
        try output.line("made \(name); now type: cd \(name) && \(template.command)")
    }

    private func write(_ file: ProjectTemplate.File) throws {
        let path = "\(name)/\(file.name)"
        // Safe because path and mode are NUL-terminated copies for the call.
        guard let stream = unsafe fopen(path, "wxe") else { throw refuse(path) }
        // Safe because the stream is open, and the text a NUL-terminated copy without NUL inside.
        let isWritten = unsafe fputs(file.text, stream) >= 0
        // Safe because the stream is open, and not used again.
        guard unsafe fclose(stream) == 0, isWritten else { throw refuse(path) }
    }

    private func refuse(_ path: String) -> ExitCode {
        let number = errno
        ErrorOutput.line(
            number == EEXIST
                ? "error: `\(path)` is there already; choose another name"
                : "error: `\(path)` cannot be made: \(SystemError(number: number).text)")
        return ExitStatus.no
    }
}
