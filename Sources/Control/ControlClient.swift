import Glibc
import PluginHost
public import Records

/// A client's connection to a running app. Its functions block, and one thread at a time may use it.
public struct ControlClient: Sendable {
    /// Ends a connection from any thread.
    public struct Breaker: Sendable {
        fileprivate let socket: LocalSocket

        /// Ends the connection. A thread that waits for a line gets nil.
        public func disconnect() { socket.shutDown() }
    }

    /// The socket's path.
    public let path: String
    /// The app's name.
    public let app: String
    /// The process of the app's host, and the versions of the protocol that it speaks.
    public private(set) var process: Int64 = 0, versions = [ControlServer.version]
    private let socket: LocalSocket
    private var input: [UInt8] = []
    // The number of bytes that were read, and the offset before which there is no further line end.
    private var (read, searched) = (0, 0)
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// Connects to the app of that name; without a name, to the only app that listens.
    ///
    /// - Throws: if the app does not listen, if several apps listen and `app` is nil, if the app uses another
    ///   version of the protocol, or if it refuses this client.
    public static func connected(
        to app: String?, in folder: ControlFolder = ControlFolder()
    ) throws(ControlUnavailable) -> ControlClient {
        if let app, !ControlFolder.isName(app) {
            throw ControlUnavailable("`\(app)` cannot be the name of an app")
        }
        var found: [ControlClient] = []
        var refusal: SystemError?
        // The check makes sure that no other user can have put a socket there.
        if folder.exists { try folder.check() }
        for name in app.map({ [$0] }) ?? folder.names() {
            let path = try folder.socket(of: name)
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
        guard let app else { throw ControlUnavailable("no app listens in `\(folder.path)`", help: [start]) }
        let path = try folder.socket(of: app)
        if let refusal, refusal.number != ENOENT, refusal.number != ECONNREFUSED {
            throw ControlUnavailable("`\(path)` cannot be reached: \(refusal.text)")
        }
        throw ControlUnavailable("no app listens at `\(path)`", help: [start])
    }

    private static let start = "start it with `spinhost run --control`"

    private init(_ app: String, _ path: String, _ socket: LocalSocket) {
        (self.app, self.path, self.socket) = (app, path, socket)
    }

    /// This connection, after it has read the host's first line.
    private func greeted() throws(ControlUnavailable) -> ControlClient {
        var client = self
        guard let line = client.nextLine() else { throw client.lost }
        guard case .int(let version)? = line["spinhost"] else {
            guard case .string(let reason)? = line["error"]?["message"] else {
                throw ControlUnavailable("the program that listens at `\(path)` is not spinhost")
            }
            throw ControlUnavailable(reason)
        }
        guard version == ControlServer.version else {
            throw ControlUnavailable(
                "the host of `\(app)` uses version \(version) of the protocol, but this spinhost uses version \(ControlServer.version)",
                help: ["use the `spinhost` that runs the app"])
        }
        if case .int(let process)? = line["pid"] { client.process = process }
        if case .list(let versions)? = line["versions"] {
            client.versions = versions.compactMap { if case .int(let version) = $0 { version } else { nil } }
        }
        return client
    }

    /// Connections to all apps of this user that listen and answer, in the order of their names.
    ///
    /// - Throws: if the folder of the sockets is not safe.
    public static func all(in folder: ControlFolder = ControlFolder()) throws(ControlUnavailable)
        -> [ControlClient]
    {
        guard folder.exists else { return [] }
        try folder.check()
        return folder.names().compactMap { name in
            // A host that ends meanwhile is no app any more.
            guard let path = try? folder.socket(of: name), let socket = try? LocalSocket.connected(to: path)
            else { return nil }
            return try? ControlClient(name, path, socket).greeted()
        }
    }

    /// Speaks version 2 of the protocol from now on.
    ///
    /// - Returns: what the host says of itself.
    /// - Throws: if the host does not know that version.
    public mutating func speakNewest() throws(ControlUnavailable) -> Value {
        guard versions.contains(2) else {
            throw ControlUnavailable(
                "the host of `\(app)` does not speak version 2 of the protocol",
                help: ["start the app with this spinhost"])
        }
        return try answer(to: .hello(version: 2))
    }

    /// What `wait` waited for.
    public enum Event: Sendable {
        /// `nextLine` does not wait long: a line comes, or the connection has ended.
        case line
        /// The other descriptor can be read.
        case input
        /// Neither within the time.
        case nothing
    }

    /// Waits until a line comes, or until one of other descriptors can be read.
    ///
    /// - Parameter milliseconds: the longest time; nil for any.
    public func wait(orInputOf descriptors: [Int32], atMost milliseconds: Int32? = nil) -> Event {
        if input[searched...].contains(UInt8(ascii: "\n")) { return .line }
        var polled = ([socket.descriptor] + descriptors).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        // Safe because the call gets the length of the array.
        let ready = unsafe poll(&polled, nfds_t(polled.count), milliseconds ?? -1)
        guard ready > 0 else { return .nothing }
        return polled[1...].contains { $0.revents != 0 } ? .input : .line
    }

    /// The error of a connection that ended before an answer or before the app's end.
    public var lost: ControlUnavailable {
        ControlUnavailable("the connection to `\(app)` was lost", help: ["look at the output of its host"])
    }

    /// A value that ends the connection from any thread.
    public var breaker: Breaker { Breaker(socket: socket) }

    /// Sends a request and waits for the answer.
    ///
    /// - Throws: if the connection ends before the answer.
    public mutating func answer(to request: ControlRequest) throws(ControlUnavailable) -> Value {
        let line = Array("\(request.json)\n".utf8)
        var rest = line[...]
        while !rest.isEmpty {
            switch socket.send(rest, waits: true) {
            case .bytes(let count): rest = rest.dropFirst(count)
            case .wait: break
            // The host may have sent the reason before it closed the connection, so the answer is read
            // anyway.
            case .end: rest = []
            }
        }
        guard let answer = nextLine() else { throw lost }
        return answer
    }

    /// Waits for the next line; nil if the connection has ended, or the line is not JSON.
    public mutating func nextLine() -> Value? {
        while true {
            if let end = input[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: input[read..<end], as: UTF8.self)
                (read, searched) = (end + 1, end + 1)
                return try? Value(json: line)
            }
            input.removeFirst(read)
            (read, searched) = (0, input.count)
            switch socket.receive(&buffer, waits: true) {
            case .bytes(let count): input += buffer[..<count]
            case .wait: break
            case .end: return nil
            }
        }
    }
}
