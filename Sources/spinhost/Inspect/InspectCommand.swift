import ArgumentParser
import Control

/// `spinhost inspect`
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Serve a page that shows a running app, its metrics and its health, or a journal.",
        discussion: """
            The app must run with `--control`. The command prints the address of the page, and serves it until you \
            interrupt it. It runs the program `spinhost-inspector`. With a journal, no app needs to run.
            """)

    @Argument(help: "A journal to show in place of a running app.", completion: .file())
    var file: String?

    @OptionGroup var controlOptions: ControlOptions

    @Option(help: ArgumentHelp("The port of the page; a free one by default.", valueName: "number"))
    var port: UInt16?

    @Option(help: ArgumentHelp("The IP address of the page; 127.0.0.1 by default.", valueName: "address"))
    var address: String?

    @Flag(help: "Allow an address that other machines can reach.")
    var exposed = false

    @Flag(help: "Allow the page to send events, to swap plugins and to reload the manifest.")
    var write = false

    @OptionGroup var secretOptions: JournalSecretOptions

    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws {
        try runOptions.refuse()
        guard file != nil else {
            guard !secretOptions.secrets, secretOptions.manifestOptions.given == nil else {
                throw ValidationError("`--secrets` and `--manifest` are for a journal")
            }
            return
        }
        if controlOptions.app != nil { throw ValidationError("a journal and `--app` contradict each other") }
        if write { throw ValidationError("a journal and `--write` contradict each other: no app runs") }
    }

    func run() async throws {
        guard let program = InspectorProgram.path else {
            ErrorOutput.show("`\(InspectorProgram.name)` is not installed", help: InspectorProgram.help)
            throw ExitStatus.unavailable
        }
        let place = InspectorAddress(address: address, port: port, exposed: exposed, write: write)
        if let file {
            return try await RecordedInspection(file: file, secrets: secretOptions).run(program, place)
        }
        // The program writes to this stdout, so it stays as it is.
        let socket: String
        do { socket = try ControlClient.connected(to: controlOptions.app).path } catch {
            ErrorOutput.show(error)
            throw ExitStatus.unavailable
        }
        try InspectorProgram.replaceThisProgram(by: program, place.arguments(socket: socket))
    }
}
