import Glibc
import PluginHost
import Records

/// What the thread of a control server does.
struct ControlService {
    /// What a request has come to.
    enum Answer {
        case line(String)
        /// The target was gone, the one of that number: the one that has its place is to be asked.
        case again(ControlRequest, after: Int)
    }

    private struct Connection {
        let socket: LocalSocket
        var client: ServedClient
    }

    private let listener: LocalSocket
    private let wakeup: LocalSocket
    private var target: any ControlTarget
    private let write: @Sendable (String) -> String
    private let notice: @Sendable (ControlServer.Notice) -> Void
    private let answer: @Sendable (Int, Answer) -> Void
    private let greeting: String
    private let user = geteuid()
    private var connections: [Int: Connection] = [:]
    // The number of the target, and requests that wait for the next one.
    private var targets = 0
    private var postponed: [(client: Int, request: ControlRequest)] = []
    private var accepted = 0
    private var cutOff = 0
    // No connection can be taken for want of descriptors or memory.
    private var isExhausted = false
    private var end: ContinuousClock.Instant?
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// - Parameter answer: takes the late answer to a client, on any thread, and brings it back through `run`.
    init(
        listener: LocalSocket, wakeup: LocalSocket, app: String, target: any ControlTarget,
        write: @escaping @Sendable (String) -> String,
        notice: @escaping @Sendable (ControlServer.Notice) -> Void,
        answer: @escaping @Sendable (Int, Answer) -> Void
    ) {
        (self.listener, self.wakeup, self.target) = (listener, wakeup, target)
        (self.write, self.notice, self.answer) = (write, notice, answer)
        greeting =
            Value.record([
                ("spinhost", .int(ControlServer.version)), ("app", .string(app)),
                ("pid", .int(Int64(getpid()))),
            ]).json
    }

    /// Serves until the app has ended and the clients know.
    ///
    /// - Parameter calls: what others want, since it was asked last.
    mutating func run(_ calls: () -> ControlServer.Calls) {
        while !isOver {
            let order = connections.keys.sorted()
            var descriptors = [pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)]
            descriptors.append(
                pollfd(
                    fd: end == nil && !isExhausted ? listener.descriptor : -1, events: Int16(POLLIN),
                    revents: 0))
            for id in order { descriptors.append(interest(connections[id]!)) }
            // Safe because the call is told how long the array is.
            let ready = unsafe poll(&descriptors, nfds_t(descriptors.count), timeout)
            isExhausted = false
            guard ready >= 0 || errno == EINTR || errno == EAGAIN else {
                notice(.failed(SystemError(number: errno).text))
                break
            }
            guard ready >= 0 else { continue }
            if descriptors[0].revents != 0 { _ = wakeup.receive(&buffer) }
            attend(to: calls())
            if descriptors[1].revents != 0, end == nil { accept() }
            for (id, descriptor) in zip(order, descriptors[2...]) where descriptor.revents != 0 {
                serve(id, descriptor.revents)
            }
            for id in order where connections[id]?.client.isDone == true { drop(id) }
        }
        for id in connections.keys { drop(id) }
    }

    private var isOver: Bool { end.map { connections.isEmpty || .now >= $0 } ?? false }

    /// Milliseconds; -1 for as long as it takes.
    private var timeout: Int32 {
        if let end {
            return Int32(max(0, min(1000, ContinuousClock.now.duration(to: end) / .milliseconds(1)))) + 1
        }
        return isExhausted ? 100 : -1
    }

    private func interest(_ connection: Connection) -> pollfd {
        let reads = connection.client.reads ? POLLIN : 0
        let writes = connection.client.unread.isEmpty ? 0 : POLLOUT
        return pollfd(fd: connection.socket.descriptor, events: Int16(reads | writes), revents: 0)
    }

    private mutating func attend(to calls: ControlServer.Calls) {
        for (id, answer) in calls.answers { take(answer, of: id) }
        for news in calls.news {
            switch news {
            case .swap(let swap):
                let line = write(swap)
                for id in connections.keys where connections[id]?.client.hearsSwaps == true { tell(id, line) }
            case .succession(let succession): goOn(succession)
            }
        }
        tellStates()
        guard let outcome = calls.end, end == nil else { return }
        end = .now + .seconds(1)
        let line = write(Value.record([("ended", .string(outcome))]).json)
        for id in connections.keys {
            connections[id]!.client.end(line)
            flush(id)
            if connections[id]?.client.isDone == true { drop(id) }
        }
    }

    private mutating func take(_ answer: Answer, of id: Int) {
        guard connections[id] != nil else { return }
        switch answer {
        case .line(let line):
            connections[id]!.client.isWaiting = false
            tell(id, line)
            takeRequests(of: id)
        case .again(let request, let number) where number < targets: askAgain(request, for: id)
        case .again(let request, _): postponed.append((id, request))
        }
    }

    private mutating func askAgain(_ request: ControlRequest, for id: Int) {
        do throws(ControlFault) { try take(request, of: id) } catch {
            take(.line(write(error.answer.json)), of: id)
        }
    }

    private mutating func tellStates() {
        let states = target.takeStates()
        guard !states.isEmpty else { return }
        for id in connections.keys {
            for state in states { connections[id]!.client.tell(state) }
            flush(id)
        }
    }

    /// Serves for another target from now on.
    private mutating func goOn(_ succession: ControlServer.Succession) {
        tellStates()
        let (former, next) = (target, succession.target)
        target = next
        let (before, names) = (former.loopNames, next.loopNames)
        let line = write(succession.line)
        for id in connections.keys {
            guard var client = connections[id]?.client else { continue }
            let loops = client.loops
            client.goOn(line, loops: names.count) { loop in
                if let place = names.firstIndex(of: before[loop]) { return .loop(place) }
                return .none(write(Self.gone(before[loop], names).json))
            }
            for loop in client.loops { next.follow(loop: loop) }
            for loop in loops { former.unfollow(loop: loop) }
            connections[id]?.client = client
            flush(id)
        }
        targets += 1
        let waiting = postponed
        postponed = []
        for (id, request) in waiting where connections[id] != nil { askAgain(request, for: id) }
        succession.done()
    }

    /// What those are told who watched a loop that is gone.
    private static func gone(_ loop: String, _ names: [String]) -> Value {
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
                refuse(accepted, ControlFault(.notPermitted, "this app is another user's"))
            } else if connections.count > ControlServer.mostClients {
                refuse(
                    accepted,
                    ControlFault(.tooManyClients, "the app has \(ControlServer.mostClients) clients already"))
            } else {
                tell(accepted, greeting)
            }
        }
    }

    private mutating func refuse(_ id: Int, _ fault: ControlFault) {
        connections[id]!.client.refuse(write(fault.answer.json))
        flush(id)
        // Whoever does not take this is not waited for.
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
            takeRequests(of: id)
        } else if events & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 {
            drop(id)
        }
    }

    private mutating func takeRequests(of id: Int) {
        while connections[id] != nil {
            do throws(ControlFault) {
                guard let request = try connections[id]!.client.nextRequest() else { return }
                try take(request, of: id)
            } catch { tell(id, write(error.answer.json)) }
        }
    }

    private mutating func take(_ request: ControlRequest, of id: Int) throws(ControlFault) {
        switch request {
        case .send(let event, let loop, let content):
            tell(id, write(try target.send(event: event, loop: loop, content).json))
        case .state(let loop):
            connections[id]!.client.isWaiting = true
            target.state(loop: loop) { [write, answer] result in
                switch result {
                case .success(let value): answer(id, .line(write(value.json)))
                case .failure(let fault): answer(id, .line(write(fault.answer.json)))
                }
            }
        case .swap(let plugin):
            connections[id]!.client.isWaiting = true
            target.swap(plugin: plugin) { [write, answer, targets] result in
                answer(id, result.map { .line(write($0.json)) } ?? .again(request, after: targets))
            }
        case .watch(let name, let swaps):
            let loops = try target.loops(named: name)
            if swaps { connections[id]!.client.hearsSwaps = true }
            if name == nil { connections[id]!.client.watchesAll = true }
            tell(id, Value.record([("ok", .bool(true))]).json)
            for loop in loops where connections[id]?.client.watch(loop) == true { target.follow(loop: loop) }
        }
    }

    /// Answers a client, or cuts it off.
    private mutating func tell(_ id: Int, _ line: String) {
        guard connections[id]?.client.answer(line) == true else {
            guard connections[id] != nil else { return }
            cutOff += 1
            drop(id)
            return notice(.cutOff(cutOff))
        }
        flush(id)
    }

    private mutating func flush(_ id: Int) {
        while let connection = connections[id], !connection.client.unread.isEmpty {
            switch connection.socket.send(connection.client.unread) {
            case .bytes(let count): connections[id]!.client.took(count)
            case .wait: return
            case .end: return drop(id)
            }
        }
    }

    private mutating func drop(_ id: Int) {
        guard let connection = connections.removeValue(forKey: id) else { return }
        for loop in connection.client.loops { target.unfollow(loop: loop) }
    }
}
