/// What the command line of `spinhost-inspector` says.
public struct InspectorOptions: Equatable, Sendable {
    /// The host's control socket.
    public var socket: String
    /// The address to listen at: a literal, not a name.
    public var address = "127.0.0.1"
    /// The port to listen at; 0 for a free one.
    public var port = 0
    /// Whether pages may change the app.
    public var write = false
    /// Whether the program ends when its standard input ends.
    public var endsWithParent = false

    /// Listens at a free port of 127.0.0.1, for pages that only read.
    public init(socket: String) { self.socket = socket }

    /// The result of a command line.
    public enum Parsed: Equatable, Sendable {
        case options(InspectorOptions)
        /// The user asks for this text.
        case text(String)
    }

    /// What the command line means.
    ///
    /// - Parameter arguments: without the name of the program.
    /// - Throws: an error with code 64.
    public static func parse(_ arguments: [String]) throws(InspectorError) -> Parsed {
        var socket: String?
        var options = InspectorOptions(socket: "")
        var isExposed = false
        var given: Set<String> = []
        var rest = arguments[...]
        while let word = rest.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init)
            let name = parts[0]
            guard given.insert(name).inserted else { throw .usage("`\(name)` is given twice") }
            var value: String? = parts.count > 1 ? parts[1] : nil
            if ["--socket", "--address", "--port"].contains(name) {
                value = value ?? rest.popFirst()
                guard value?.isEmpty == false else { throw .usage("`\(name)` needs a value") }
            } else if value != nil {
                throw .usage("`\(name)` takes no value")
            }
            switch name {
            case "--socket": socket = value
            case "--address": options.address = value!
            case "--port": options.port = try port(value!)
            case "--exposed": isExposed = true
            case "--write": options.write = true
            case "--with-parent": options.endsWithParent = true
            case "--help", "-h": return .text(help)
            case "--version": return .text(InspectorVersion.text)
            default: throw .usage("unknown argument `\(word)`; `spinhost-inspector --help` lists the options")
            }
        }
        guard let socket else {
            throw .usage("`--socket PATH` is missing: name the control socket of the app")
        }
        guard let literal = AddressLiteral(options.address) else {
            throw .usage("`\(options.address)` is not an IP address; write one such as 127.0.0.1 or ::1")
        }
        guard literal.isLoopback || isExposed else {
            throw .usage(
                "other machines can reach `\(options.address)`: add `--exposed` if that is meant, or leave out `--address`"
            )
        }
        options.socket = socket
        return .options(options)
    }

    private static func port(_ text: String) throws(InspectorError) -> Int {
        guard let port = UInt16(text), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .usage("`\(text)` is not a port: write a number from 0 to 65535")
        }
        return Int(port)
    }

    /// The text of `--help`.
    static let help = """
        USAGE: spinhost-inspector --socket PATH [--address ADDRESS] [--port N] [--exposed] [--write]

        Serves a page that shows a running app, and its metrics and health, over HTTP.

        OPTIONS:
          --socket PATH        The control socket of the app.
          --address ADDRESS    The IP address to listen at (default: 127.0.0.1).
          --port N             The port to listen at (default: 0, a free one).
          --exposed            Allow an address that other machines can reach.
          --write              Allow the page to send events, to swap plugins and to reload the manifest.
          --with-parent        End when the standard input ends.
          --version            Print the version.
          -h, --help           Print this text.

        """
}
