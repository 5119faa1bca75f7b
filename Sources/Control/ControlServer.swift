import Dispatch
import HostLoop
import PluginHost

/// Serves the clients of one host's control socket, on one thread of its own. May be used from any thread.
public final class ControlServer: Sendable {
    /// The version of the protocol, which a host begins each connection with.
    public static let version: Int64 = 1
    /// Further clients are turned away.
    public static let mostClients = 64

    /// What is told of the server.
    public enum Notice: Hashable, Sendable {
        /// A client that did not read what it had asked for was cut off; how many there were so far.
        case cutOff(Int)
        /// The server cannot go on, for the reason that the system gives.
        case failed(String)
    }

    /// A target that takes the place of the one before.
    struct Succession {
        let target: any ControlTarget
        /// What those who watch are told.
        let line: String
        let done: @Sendable () -> Void
    }

    enum News {
        /// What became of a swap, for those who want to know.
        case swap(String)
        case succession(Succession)
    }

    /// What others want of the thread.
    struct Calls {
        var answers: [(client: Int, answer: ControlService.Answer)] = []
        /// In order.
        var news: [News] = []
        var end: String?
    }

    private let claim: ControlClaim
    private let wakeup: (LocalSocket, LocalSocket)
    private let calls = Lock(Calls())
    private let done = Lock<(isDone: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    /// A server for the clients of a claimed name; `start` lets it serve.
    ///
    /// - Throws: when there is no descriptor left.
    public init(_ claim: ControlClaim) throws(ControlUnavailable) {
        self.claim = claim
        do { wakeup = try LocalSocket.pair() } catch {
            throw ControlUnavailable("the control socket has no descriptor: \(error.text)")
        }
    }

    /// Serves from now on, until `end`. Once.
    ///
    /// - Parameters:
    ///   - app: the app's name.
    ///   - write: what becomes of a line before it leaves the process.
    ///   - notice: called on the server's thread.
    public func start(
        app: String, target: any ControlTarget, write: @escaping @Sendable (String) -> String,
        notice: @escaping @Sendable (Notice) -> Void
    ) {
        // A queue of its own has a thread of its own for as long as it is busy.
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

    /// The target has states.
    public func statesCame() { wake() }

    /// Tells those who watch with `swaps` what became of a swap, in a line of JSON.
    public func swapped(_ line: String) {
        calls.withLock { $0.news.append(.swap(line)) }
        wake()
    }

    /// Serves the same clients for another target, which has the place of the one before: it is asked from now on, and who watches loops
    /// watches those of equal names.
    ///
    /// - Parameters:
    ///   - line: JSON; told to those who watch, before the states of the other target.
    ///   - done: called on the server's thread once the other target is followed by all who watch; never, if the server has ended.
    public func goOn(
        with target: any ControlTarget, telling line: String, done: @escaping @Sendable () -> Void
    ) {
        let succession = Succession(target: target, line: line, done: done)
        calls.withLock { $0.news.append(.succession(succession)) }
        wake()
    }

    /// Says how the app ended to those who watch it, ends all connections within a second, and lets go of the name.
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

    // When the socket is full, the thread has enough to wake up for.
    private func wake() { _ = wakeup.0.send([1]) }

    private func finish() {
        let waiting = done.withLock { done in
            defer { done = (true, []) }
            return done.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
