import Glibc
import PluginHost
import Records

/// The work of a control server's thread.
struct ControlService {
    /// The late answer to a request.
    enum Answer {
        case line(String)
        /// The target of that number was replaced before it could answer. The next target must answer the
        /// request.
        case again(ControlRequest, after: Int)
    }

    struct Connection {
        let socket: LocalSocket
        var client: ServedClient
    }

    private let listener: LocalSocket
    private let wakeup: LocalSocket
    private(set) var target: any ControlTarget
    let write: @Sendable (String) -> String
    private let notice: @Sendable (ControlServer.Notice) -> Void
    private let answer: @Sendable (Int, Answer) -> Void
    private let greeting: String
    // When the app began to listen.
    private let since: String
    private let user = geteuid()
    var connections: [Int: Connection] = [:]
    // The number of the present target, and the requests that wait for the next one.
    private var targets = 0
    private var postponed: [(client: Int, request: ControlRequest)] = []
    private var accepted = 0
    private var cutOff = 0
    // True if a connection could not be accepted for lack of descriptors or memory.
    private var isExhausted = false
    private var end: ContinuousClock.Instant?
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// A service for the clients of a listening socket.
    ///
    /// - Parameter answer: receives the late answer to a client on any thread. The caller must return it
    ///   through `run`.
    init(
        listener: LocalSocket, wakeup: LocalSocket, app: String, target: any ControlTarget,
        write: @escaping @Sendable (String) -> String,
        notice: @escaping @Sendable (ControlServer.Notice) -> Void,
        answer: @escaping @Sendable (Int, Answer) -> Void
    ) {
        (self.listener, self.wakeup, self.target) = (listener, wakeup, target)
        (self.write, self.notice, self.answer) = (write, notice, answer)
        var time = timespec()
        // Safe because the structure lives for the call.
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        since = TimeText.rfc3339(Timestamp(nanosecondsSinceEpoch: Int64(time.tv_sec) * 1_000_000_000))
        greeting =
            Value.record([
                ("spinhost", .int(ControlServer.version)), ("app", .string(app)),
                ("pid", .int(Int64(getpid()))),
                ("versions", .list(ControlServer.versions.map(Value.int))),
            ]).json
    }

    /// Serves until the app has ended and the clients have its outcome.
    ///
    /// - Parameter calls: returns the calls of other threads since its last call.
    mutating func run(_ calls: () -> ControlServer.Calls) {
        while !isOver {
            let order = connections.keys.sorted()
            var descriptors = [pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)]
            descriptors.append(
                pollfd(
                    fd: end == nil && !isExhausted ? listener.descriptor : -1, events: Int16(POLLIN),
                    revents: 0))
            for id in order { descriptors.append(interest(connections[id]!)) }
            // Safe because the call gets the length of the array.
            let ready = unsafe poll(&descriptors, nfds_t(descriptors.count), timeout)
            isExhausted = false
            guard ready >= 0 || errno == EINTR || errno == EAGAIN else {
                notice(.failed(SystemError(number: errno).text))
                break
            }
            guard ready >= 0 else { continue }
            if descriptors[0].revents != 0 { _ = wakeup.receive(&buffer) }
            handle(calls())
            if descriptors[1].revents != 0, end == nil { accept() }
            for (id, descriptor) in zip(order, descriptors[2...]) where descriptor.revents != 0 {
                serve(id, descriptor.revents)
            }
            sendActivity()
            for id in order where connections[id]?.client.isDone == true { drop(id) }
        }
        for id in connections.keys { drop(id) }
    }

    private var isOver: Bool { end.map { connections.isEmpty || .now >= $0 } ?? false }

    /// The timeout in milliseconds; -1 for none.
    private var timeout: Int32 {
        if let end {
            return Int32(max(0, min(1000, ContinuousClock.now.duration(to: end) / .milliseconds(1)))) + 1
        }
        guard let due = nextActivity else { return isExhausted ? 100 : -1 }
        let wait = max(.zero, ContinuousClock.now.duration(to: due))
        return min(isExhausted ? 100 : .max, Int32(clamping: Int64((wait / .milliseconds(1)).rounded(.up))))
    }

    private func interest(_ connection: Connection) -> pollfd {
        let reads = connection.client.reads ? POLLIN : 0
        let writes = connection.client.unread.isEmpty ? 0 : POLLOUT
        return pollfd(fd: connection.socket.descriptor, events: Int16(reads | writes), revents: 0)
    }

    private mutating func handle(_ calls: ControlServer.Calls) {
        // News first: an answer about a swap comes after the line that tells of it.
        for news in calls.news {
            switch news {
            case .swap(let swap):
                let line = write(swap)
                for id in connections.keys where connections[id]?.client.watchesSwaps == true {
                    send(line, to: id)
                }
            case .succession(let succession): replaceTarget(succession)
            }
        }
        for (id, answer) in calls.answers { deliver(answer, to: id) }
        sendStates()
        guard let outcome = calls.end, end == nil else { return }
        end = .now + .seconds(1)
        let line = write(Value.record([("ended", .string(outcome))]).json)
        for id in connections.keys {
            connections[id]!.client.end(line)
            flush(id)
            if connections[id]?.client.isDone == true { drop(id) }
        }
    }

    private mutating func deliver(_ answer: Answer, to id: Int) {
        guard connections[id] != nil else { return }
        switch answer {
        case .line(let line):
            connections[id]!.client.isWaiting = false
            send(line, to: id)
            handleRequests(of: id)
        case .again(let request, let number) where number < targets: repeatRequest(request, of: id)
        case .again(let request, _): postponed.append((id, request))
        }
    }

    private mutating func repeatRequest(_ request: ControlRequest, of id: Int) {
        do throws(ControlFault) { try handle(request, of: id) } catch {
            deliver(.line(write(error.answer.json)), to: id)
        }
    }

    private mutating func sendStates() {
        let states = target.takeStates()
        guard !states.isEmpty else { return }
        for id in connections.keys {
            for state in states { connections[id]!.client.write(state) }
            flush(id)
        }
    }

    private mutating func replaceTarget(_ succession: ControlServer.Succession) {
        sendStates()
        let (former, next) = (target, succession.target)
        target = next
        let (before, names) = (former.loopNames, next.loopNames)
        let line = write(succession.line)
        for id in connections.keys {
            guard var client = connections[id]?.client else { continue }
            let loops = client.loops
            client.replaceApp(line, loops: names.count, isRestart: succession.isRestart) { loop in
                if let index = names.firstIndex(of: before[loop]) { return .loop(index) }
                return .none(write(Self.missingLoop(before[loop], names).json))
            }
            for loop in client.loops { next.follow(loop: loop) }
            for loop in loops { former.unfollow(loop: loop) }
            connections[id]?.client = client
            moveActivity(of: id, from: former, to: next)
            flush(id)
        }
        targets += 1
        let waiting = postponed
        postponed = []
        for (id, request) in waiting where connections[id] != nil { repeatRequest(request, of: id) }
        succession.done()
    }

    /// The record for clients that watch a loop which the new target does not have.
    private static func missingLoop(_ loop: String, _ names: [String]) -> Value {
        let fault = ControlFault(
            .unknownLoop, "the changed manifest has no loop `\(loop)`", of: loop, among: names,
            called: "its loops")
        return .record([("loop", .string(loop)), ("error", fault.error)])
    }

    private mutating func accept() {
        while true {
            let socket: LocalSocket
            do {
                guard let next = try listener.accept() else { return }
                socket = next
            } catch {
                isExhausted = true
                return
            }
            accepted += 1
            connections[accepted] = Connection(socket: socket, client: ServedClient())
            if socket.peer != user {
                refuse(accepted, ControlFault(.notPermitted, "this app belongs to another user"))
            } else if connections.count > ControlServer.mostClients {
                refuse(
                    accepted,
                    ControlFault(.tooManyClients, "the app has \(ControlServer.mostClients) clients already"))
            } else {
                send(greeting, to: accepted)
            }
        }
    }

    private mutating func refuse(_ id: Int, _ fault: ControlFault) {
        connections[id]!.client.refuse(write(fault.answer.json))
        flush(id)
        // The server does not wait for a client that does not read the refusal.
        drop(id)
    }

    private mutating func serve(_ id: Int, _ events: Int16) {
        guard let connection = connections[id] else { return }
        if events & Int16(POLLOUT) != 0 { flush(id) }
        if events & Int16(POLLIN) != 0, connection.client.reads {
            switch connection.socket.receive(&buffer) {
            case .bytes(let count): connections[id]?.client.receive(buffer[..<count])
            case .wait: break
            case .end: connections[id]?.client.hasEnded = true
            }
            handleRequests(of: id)
        } else if events & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 {
            drop(id)
        }
    }

    private mutating func handleRequests(of id: Int) {
        while connections[id] != nil {
            do throws(ControlFault) {
                guard let request = try connections[id]!.client.nextRequest() else { return }
                try handle(request, of: id)
            } catch { send(write(error.answer.json), to: id) }
        }
    }

    private mutating func handle(_ request: ControlRequest, of id: Int) throws(ControlFault) {
        switch request {
        case .send(let event, let place, let content, wait: nil):
            send(write(try target.send(event: event, to: place, content).json), to: id)
        case .send(let event, let place, let content, wait: .durable?):
            try target.sendDurably(event: event, to: place, content, answer: lateAnswer(to: id))
            connections[id]!.client.isWaiting = true
        case .metrics: send(write(target.metrics().json), to: id)
        case .counters(let loop) where connections[id]?.client.version == 2:
            let counters = try target.allCounters(loop: loop)
            send(write(Value.record([("ok", .bool(true)), ("counters", .list(counters))]).json), to: id)
        case .counters(let loop): send(write(try target.counters(loop: loop).json), to: id)
        case .hello(let version):
            connections[id]!.client.version = version
            let answer: [(String, Value)] = [
                ("ok", .bool(true)), ("version", .int(version)), ("since", .string(since)),
            ]
            send(Value.record(answer).json, to: id)
        case .follow(let watch): try follow(watch, by: id)
        case .query(let query):
            connections[id]!.client.isWaiting = true
            target.answer(query, answer: lateAnswer(to: id))
        case .state(let place, let page):
            connections[id]!.client.isWaiting = true
            target.state(of: place, page, answer: lateAnswer(to: id))
        case .swap(let plugin):
            connections[id]!.client.isWaiting = true
            target.swap(plugin: plugin) { [write, answer, targets] result in
                answer(id, result.map { .line(write($0.json)) } ?? .again(request, after: targets))
            }
        case .reload:
            connections[id]!.client.isWaiting = true
            target.reload { [write, answer] in answer(id, .line(write($0.json))) }
        case .watch(let place, let swaps):
            let (loops, key) = (try target.loops(named: place.loop), try target.key(of: place))
            if swaps { connections[id]!.client.watchesSwaps = true }
            if place.loop == nil { connections[id]!.client.watchesAll = true }
            if let key {
                connections[id]!.client.watchOnly(key, of: loops[0])
            } else {
                for loop in loops { connections[id]!.client.watchAllInstances(of: loop) }
            }
            send(Value.record([("ok", .bool(true))]).json, to: id)
            for loop in loops where connections[id]?.client.watch(loop) == true { target.follow(loop: loop) }
        }
    }

    /// Gives the answer to a request to the server's thread.
    private func lateAnswer(to id: Int) -> @Sendable (Result<Value, ControlFault>) -> Void {
        { [write, answer] result in
            switch result {
            case .success(let value): answer(id, .line(write(value.json)))
            case .failure(let fault): answer(id, .line(write(fault.answer.json)))
            }
        }
    }

    /// Sends a line to a client. Disconnects the client if it does not read its answers.
    mutating func send(_ line: String, to id: Int) {
        guard connections[id]?.client.answer(line) == true else {
            guard connections[id] != nil else { return }
            cutOff += 1
            drop(id)
            return notice(.cutOff(cutOff))
        }
        flush(id)
    }

    mutating func flush(_ id: Int) {
        while let connection = connections[id], !connection.client.unread.isEmpty {
            switch connection.socket.send(connection.client.unread) {
            case .bytes(let count): connections[id]!.client.removeSent(count)
            case .wait: return
            case .end: return drop(id)
            }
        }
    }

    private mutating func drop(_ id: Int) {
        guard let connection = connections.removeValue(forKey: id) else { return }
        for loop in connection.client.loops { target.unfollow(loop: loop) }
        target.endActivity(of: id)
    }
}
