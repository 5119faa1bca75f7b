import Glibc
import PluginHost
public import Records

/// A connection to a running app, as its clients have it. Waits for what it asks for; for one thread.
public struct ControlClient: Sendable {
    /// Ends a connection from any thread.
    public struct Breaker: Sendable {
        fileprivate let socket: LocalSocket

        /// Whoever waits for a line gets none any more.
        public func breakOff() { socket.shutDown() }
    }

    /// The socket's path.
    public let path: String
    /// The app's name.
    public let app: String
    private let socket: LocalSocket
    private var input: [UInt8] = []
    // How much of it was taken, and up to where there is no further line end.
    private var (taken, searched) = (0, 0)
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// Connects to the app of that name, or to the only one that listens.
    ///
    /// - Throws: when it does not listen, when several do and none is named, when it speaks another version of the
    ///   protocol, or when it turns this client away.
    public static func connected(
        to app: String?, in place: ControlPlace = ControlPlace()
    ) throws(ControlUnavailable) -> ControlClient {
        if let app, !ControlPlace.isName(app) { throw ControlUnavailable("`\(app)` is no name of an app") }
        var found: [ControlClient] = []
        var refusal: SystemError?
        // Nobody else can have put something there.
        if place.exists { try place.check() }
        for name in app.map({ [$0] }) ?? place.names() {
            let path = try place.socket(of: name)
            do { found.append(ControlClient(name, path, try LocalSocket.connected(to: path))) } catch {
                refusal = error
            }
        }
        if found.count > 1 {
            throw ControlUnavailable(
                "several apps listen: \(found.map { "`\($0.app)`" }.joined(separator: ", "))",
                help: ["name one with `--app`"])
        }
        if let first = found.first { return try first.greeted() }
        guard let app else { throw ControlUnavailable("no app listens in `\(place.folder)`", help: [start]) }
        let path = try place.socket(of: app)
        if let refusal, refusal.number != ENOENT, refusal.number != ECONNREFUSED {
            throw ControlUnavailable("`\(path)` cannot be reached: \(refusal.text)")
        }
        throw ControlUnavailable("no app listens at `\(path)`", help: [start])
    }

    private static let start = "start it with `spinhost run --control`"

    private init(_ app: String, _ path: String, _ socket: LocalSocket) {
        (self.app, self.path, self.socket) = (app, path, socket)
    }

    /// The same connection after the host's first line.
    private func greeted() throws(ControlUnavailable) -> ControlClient {
        var client = self
        guard let line = client.nextLine() else { throw client.lost }
        guard case .int(let version)? = line["spinhost"] else {
            guard case .string(let reason)? = line["error"]?["message"] else {
                throw ControlUnavailable("what listens at `\(path)` is no spinhost")
            }
            throw ControlUnavailable(reason)
        }
        guard version == ControlServer.version else {
            throw ControlUnavailable(
                "the host of `\(app)` speaks version \(version) of the protocol, and this spinhost version \(ControlServer.version)",
                help: ["use the `spinhost` that runs the app"])
        }
        return client
    }

    /// That the app has gone in the middle of something.
    public var lost: ControlUnavailable {
        ControlUnavailable("the connection to `\(app)` was lost", help: ["look at what its host says"])
    }

    /// What ends the connection from any thread.
    public var breaker: Breaker { Breaker(socket: socket) }

    /// Asks for something, and waits for the answer.
    ///
    /// - Throws: when the app has gone.
    public mutating func answer(to request: ControlRequest) throws(ControlUnavailable) -> Value {
        let line = Array("\(request.json)\n".utf8)
        var rest = line[...]
        while !rest.isEmpty {
            switch socket.send(rest, waits: true) {
            case .bytes(let count): rest = rest.dropFirst(count)
            case .wait: break
            // The host may have said why, before it closed the connection.
            case .end: rest = []
            }
        }
        guard let answer = nextLine() else { throw lost }
        return answer
    }

    /// Waits for the next line; nil when the connection has ended, or what came is none.
    public mutating func nextLine() -> Value? {
        while true {
            if let end = input[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: input[taken..<end], as: UTF8.self)
                (taken, searched) = (end + 1, end + 1)
                return try? Value(json: line)
            }
            input.removeFirst(taken)
            (taken, searched) = (0, input.count)
            switch socket.receive(&buffer, waits: true) {
            case .bytes(let count): input += buffer[..<count]
            case .wait: break
            case .end: return nil
            }
        }
    }
}
