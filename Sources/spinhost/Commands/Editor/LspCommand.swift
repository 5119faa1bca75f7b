import ArgumentParser

/// `spinhost lsp`
struct LspCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lsp",
        abstract: "Serve an editor as a language server for manifests, on stdin and stdout.",
        discussion: """
            Editors start it. It checks manifests while they are written, and offers names, types and documentation. \
            docs/editors.md says how to set up an editor.
            """)

    @Flag(name: .customLong("stdio"), help: "Accepted, because some editors give it; there is no other way.")
    var usesStandardStreams = false

    @OptionGroup(visibility: .hidden) var noManifest: NoManifestOptions

    func run() throws {
        let server = LanguageServerProgram(try CommandOutput())
        throw ExitCode(try server.run())
    }
}
