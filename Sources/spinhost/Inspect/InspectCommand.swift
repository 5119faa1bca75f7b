import ArgumentParser
import Control

/// `spinhost inspect`
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Serve a page that shows a running app, its metrics and its health.",
        discussion: """
            The app must run with `--control`. The command prints the address of the page, and serves it until you \
            interrupt it. It runs the program `spinhost-inspector`.
            """)

    @OptionGroup var controlOptions: ControlOptions

    @Option(help: ArgumentHelp("The port of the page; a free one by default.", valueName: "number"))
    var port: UInt16?

    @Option(help: ArgumentHelp("The IP address of the page; 127.0.0.1 by default.", valueName: "address"))
    var address: String?

    @Flag(help: "Allow an address that other machines can reach.")
    var exposed = false

    @Flag(help: "Allow the page to send events, to swap plugins and to reload the manifest.")
    var write = false

    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws { try runOptions.refuse() }

    func run() throws {
        guard let program = InspectorProgram.path else {
            ErrorOutput.show("`\(InspectorProgram.name)` is not installed", help: InspectorProgram.help)
            throw ExitStatus.unavailable
        }
        // The program writes to this stdout, so it stays as it is.
        let socket: String
        do { socket = try ControlClient.connected(to: controlOptions.app).path } catch {
            ErrorOutput.show(error)
            throw ExitStatus.unavailable
        }
        let place = InspectorAddress(address: address, port: port, exposed: exposed, write: write)
        try InspectorProgram.replaceThisProgram(by: program, place.arguments(socket: socket))
    }
}
