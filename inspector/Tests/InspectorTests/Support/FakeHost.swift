import Foundation

/// A host of a test: it greets, and answers each request by its function.
final class FakeHost: @unchecked Sendable {
    /// How the host treats its clients.
    enum Manner: Sendable {
        /// It speaks both versions and answers requests with a closure; nil stands for no answer.
        case answering(@Sendable (_ request: String) -> String?)
        /// It says this first line, and nothing else.
        case saying(String)
        /// It accepts, and says nothing.
        case silent
    }

    static let greeting = #"{"spinhost":1,"app":"door","pid":1,"versions":[1,2]}"#
    static let hello = #"{"ok":true,"version":2,"since":"2026-11-26T12:00:00Z"}"#

    let path: String
    private let folder: URL
    private let manner: Manner
    // Safe because the lock is taken for each use.
    private let lock = NSLock()
    private var listener: TestSocket?
    private var clients: [TestSocket] = []
    private var lines: [String] = []

    init(_ manner: Manner) throws {
        self.manner = manner
        folder = URL(fileURLWithPath: "/tmp/spin-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        path = folder.appendingPathComponent("door.sock").path
    }

    /// A host that answers everything with `{"ok":true,"to":…}`.
    static func echoing() throws -> FakeHost {
        try FakeHost(.answering { #"{"ok":true,"to":\#($0)}"# })
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Listens from now on.
    @discardableResult
    func start() throws -> FakeHost {
        let listener = try TestSocket.listening(at: path)
        lock.withLock { self.listener = listener }
        Thread.detachNewThread { [weak self] in
            while let client = listener.accept() {
                guard let self else { return }
                lock.withLock { clients.append(client) }
                Thread.detachNewThread { [manner, weak self] in
                    Self.serve(client, manner) { line in
                        guard let self else { return }
                        self.lock.withLock { self.lines.append(line) }
                    }
                    guard let self else { return }
                    self.lock.withLock { self.clients.removeAll { $0 === client } }
                }
            }
        }
        return self
    }

    /// Ends all connections and does not listen any more.
    func stop() {
        lock.withLock {
            listener?.shutDown()
            listener = nil
            for client in clients { client.shutDown() }
            clients = []
        }
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The requests so far.
    var requests: [String] { lock.withLock { lines } }

    /// Sends a line to all clients.
    func push(_ line: String) {
        for client in lock.withLock({ clients }) { client.send("\(line)\n") }
    }

    private static func serve(_ client: TestSocket, _ manner: Manner, _ heard: (String) -> Void) {
        switch manner {
        case .silent: while client.line() != nil {}
        case .saying(let line):
            client.send("\(line)\n")
            while client.line() != nil {}
        case .answering(let answer):
            client.send("\(greeting)\n")
            while let line = client.line() {
                heard(line)
                let text = line.contains(#""request":"hello""#) ? hello : answer(line)
                if let text { client.send("\(text)\n") }
            }
        }
    }
}
