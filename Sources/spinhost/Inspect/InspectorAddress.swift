import ArgumentParser

/// Where the inspector listens, and what its page may do.
struct InspectorAddress: Equatable, Sendable {
    var address: String?
    var port: UInt16?
    var exposed = false
    var write = false

    /// The arguments of `spinhost-inspector`.
    ///
    /// - Parameter socket: the control socket of the app.
    func arguments(socket: String) -> [String] {
        var words = ["--socket", socket]
        if let address { words += ["--address", address] }
        if let port { words += ["--port", "\(port)"] }
        if exposed { words.append("--exposed") }
        if write { words.append("--write") }
        return words
    }
}

/// The options of `run` and `dev` for the inspector.
struct InspectOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: "Serve a page that shows the app (`dev` does at a terminal); implies `--control`.")
    var inspect: Bool?

    @Option(help: ArgumentHelp("The port of the page; a free one by default.", valueName: "number"))
    var inspectPort: UInt16?

    @Option(help: ArgumentHelp("The IP address of the page; 127.0.0.1 by default.", valueName: "address"))
    var inspectAddress: String?

    @Flag(help: "Allow an address of the page that other machines can reach.")
    var inspectExposed = false

    @Flag(help: "Allow the page to send events, to swap plugins and to reload the manifest.")
    var inspectWrite = false

    func validate() throws {
        guard inspect == false, let name = details.first else { return }
        throw ValidationError("`--no-inspect` and `\(name)` contradict each other")
    }

    /// The names of the given options that say how to inspect.
    private var details: [String] {
        [
            (inspectPort != nil, "--inspect-port"), (inspectAddress != nil, "--inspect-address"),
            (inspectExposed, "--inspect-exposed"), (inspectWrite, "--inspect-write"),
        ].filter(\.0).map(\.1)
    }

    /// The names of the given options.
    var names: [String] {
        (inspect.map { [$0 ? "--inspect" : "--no-inspect"] } ?? []) + details
    }

    /// Whether the user asks for the page, or asks for none; nil without an option.
    var choice: Bool? { inspect ?? (details.isEmpty ? nil : true) }

    /// Where the inspector listens.
    var address: InspectorAddress {
        InspectorAddress(
            address: inspectAddress, port: inspectPort, exposed: inspectExposed, write: inspectWrite)
    }
}
