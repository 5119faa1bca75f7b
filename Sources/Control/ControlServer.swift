import Dispatch
import HostLoop
import PluginHost

/// Serves the clients of one host's control socket on its own thread. May be used from any thread.
public final class ControlServer: Sendable {
    /// The version of the protocol that a client speaks until it asks for another one. A host sends it first on
    /// each connection.
    public static let version: Int64 = 1
    /// All versions that a host speaks.
    public static let versions: [Int64] = [1, 2]
    /// The greatest number of clients. Further clients are refused.
    public static let mostClients = 64

    /// An event of the server that the host logs.
    public enum Notice: Hashable, Sendable {
        /// The server has disconnected a client that did not read its answers. The value is the number of
        /// such clients.
        case cutOff(Int)
        /// The server has stopped, for the system's reason.
        case failed(String)
    }

    /// A target that replaces the present one.
    struct Succession {
        let target: any ControlTarget
        /// The line for watching clients.
        let line: String
        /// Whether it counts its states from 0.
        let isRestart: Bool
        let done: @Sendable () -> Void
    }

    enum News {
        /// The outcome of a swap, for clients that watch swaps.
        case swap(String)
        case succession(Succession)
    }

    /// The calls from other threads to the server's thread.
    struct Calls {
        var answers: [(client: Int, answer: ControlService.Answer)] = []
        /// The news, in order.
        var news: [News] = []
        var end: String?
    }

    private let claim: ControlClaim
    private let wakeup: (LocalSocket, LocalSocket)
    private let calls = Lock(Calls())
    private let done = Lock<(isDone: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    /// A server for the clients of a claimed name. It serves after `start`.
    ///
    /// - Throws: if there is no descriptor left.
    public init(_ claim: ControlClaim) throws(ControlUnavailable) {
        self.claim = claim
        do { wakeup = try LocalSocket.pair() } catch {
            throw ControlUnavailable("the control socket has no descriptor: \(error.text)")
        }
    }

    /// Starts to serve, until `end`. It must be called at most once.
    ///
    /// - Parameters:
    ///   - app: the app's name.
    ///   - target: the app that answers the requests.
    ///   - write: changes each line before it leaves the process, to remove secrets. Called on any thread.
    ///   - notice: called on the server's thread.
    public func start(
        app: String, target: any ControlTarget, write: @escaping @Sendable (String) -> String,
        notice: @escaping @Sendable (Notice) -> Void
    ) {
        // A separate queue keeps one thread as long as this block runs.
        DispatchQueue(label: "spinhost.control").async { [self] in
            var service = ControlService(
                listener: claim.listener, wakeup: wakeup.1, app: app, target: target, write: write,
                notice: notice,
                answer: { [weak self] client, answer in self?.answer(client, answer) })
            service.run {
                calls.withLock { calls in
                    defer { (calls.answers, calls.news) = ([], []) }
                    return calls
                }
            }
            finish()
        }
    }

    /// Sends the states that the target has now. The target calls it when `takeStates` has something new.
    public func statesCame() { wake() }

    /// Sends the outcome of a swap, a line of JSON, to the clients that watch swaps.
    public func swapped(_ line: String) {
        calls.withLock { $0.news.append(.swap(line)) }
        wake()
    }

    /// Replaces the target: the new one answers all later requests. Clients that watch loops watch those of
    /// equal names in the new target.
    ///
    /// - Parameters:
    ///   - line: a line of JSON for watching clients, before the states of the new target.
    ///   - isRestart: whether the new target counts its states from 0, so that the clients know none of them.
    ///   - done: called on the server's thread once all watching clients follow the new target; never, if the
    ///     server has ended.
    public func replaceTarget(
        with target: any ControlTarget, announcing line: String, isRestart: Bool = false,
        done: @escaping @Sendable () -> Void
    ) {
        let succession = Succession(target: target, line: line, isRestart: isRestart, done: done)
        calls.withLock { $0.news.append(.succession(succession)) }
        wake()
    }

    /// Sends the outcome of the app to watching clients, ends all connections within a second, and releases
    /// the name.
    public func end(_ outcome: String) async {
        claim.remove()
        calls.withLock { $0.end = outcome }
        wake()
        await withCheckedContinuation { continuation in
            let isDone = done.withLock { done in
                if !done.isDone { done.waiting.append(continuation) }
                return done.isDone
            }
            if isDone { continuation.resume() }
        }
    }

    private func answer(_ client: Int, _ answer: ControlService.Answer) {
        calls.withLock { $0.answers.append((client, answer)) }
        wake()
    }

    // A full socket needs no further byte: the thread wakes up anyway.
    private func wake() { _ = wakeup.0.send([1]) }

    private func finish() {
        let waiting = done.withLock { done in
            defer { done = (true, []) }
            return done.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
