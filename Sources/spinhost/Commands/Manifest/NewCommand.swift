import ArgumentParser

extension ProjectTemplate: ExpressibleByArgument {}

/// `spinhost new`
struct NewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Make a folder with a project that is ready to run.")

    @Argument(help: "The name of the project and of its new folder.")
    var name: String

    @Option(help: "The kind of project.")
    var template = ProjectTemplate.minimal

    @OptionGroup(visibility: .hidden) var noManifest: NoManifestOptions

    func validate() throws {
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
        try ProjectFolder(path: name).make(template.files(name))
        try output.line("made \(name); now type: cd \(name) && \(template.command)")
    }
}
