import HostLoop
import PluginHost
import Records

// Calls that a worker makes.
extension Worker {
    /// Has the process make a call, or the next one when none runs now.
    func begin(_ flight: Flight) throws(PluginError) {
        enum Way { case now(WorkerProcess), later, never(String) }
        // The keeping thread looks after the limit only while calls are made.
        var wakes = false
        let way = state.withLock { state -> Way in
            state.last += 1
            flight.order = state.last
            switch state.phase {
            // A call that is being written is still in the queue.
            case .running(let process) where state.queued.isEmpty:
                wakes = setup.processorTime != nil && state.flights.isEmpty
                state.flights.insert(flight, for: flight.number)
                return .now(process)
            case .running:
                wakes = true
                state.enqueue(flight)
                return .later
            case .new, .starting, .waiting:
                state.enqueue(flight)
                return .later
            case .quarantine(let reason): return .never(reason)
            case .ended: return .never("its worker has ended")
            }
        }
        switch way {
        case .later: if wakes { wakeKeeper() }
        case .never(let reason):
            throw .ended("`\(flight.function.name)` was not called: \(reason)")
        case .now(let process):
            if wakes { wakeKeeper() }
            switch post(flight, to: process) {
            case .sent: cancelIfOver(flight)
            case .noRoom:
                // The keeping thread writes it once the process has read.
                state.withLock { state in
                    if state.flights.remove(flight.number) != nil { state.enqueue(flight) }
                }
                wakeKeeper()
            case .tooLong(let size):
                // It may have failed with its process meanwhile.
                let isOpen = state.withLock { $0.flights.remove(flight.number) != nil }
                if isOpen { throw Self.tooLong(flight, size) }
            }
        }
    }

    /// The worker hears again of a call that was cancelled before its message was written.
    private func cancelIfOver(_ flight: Flight) {
        if flight.function.isEmitting, !services.isRunning(flight.token) { cancel(flight.token) }
    }

    /// Writes the message of a call.
    private func post(_ flight: Flight, to process: WorkerProcess) -> MessageWriter.Outcome {
        let timeout = flight.function.isEmitting ? services.timeout(of: flight.token) : nil
        return process.sendCall { flight.write(to: $0, timeout: timeout) }
    }

    private static func tooLong(_ flight: Flight, _ size: Int) -> PluginError {
        let name = flight.function.name
        return PluginError(
            .badArgument,
            "`\(name)` was not called: its arguments have \(size) bytes, and a worker takes \(MessageWriter.most)",
            help: ["pass a path to a file, or use `isolation = \"inline\"`"], symbol: name)
    }

    /// The process has loaded all: it gets the calls that have waited, and runs.
    func flush(_ process: WorkerProcess) {
        sendQueued(to: process)
        let waiters = state.withLock { state -> [WorkerRequest] in
            guard case .starting(let present) = state.phase, present === process else { return [] }
            state.phase = .running(process)
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.give(.success([])) }
        // For calls that have come meanwhile.
        wakeKeeper()
    }

    /// Writes the calls that have waited. One thread at a time calls it.
    ///
    /// - Returns: false if the process must read before it can get another one.
    @discardableResult
    func sendQueued(to process: WorkerProcess) -> Bool {
        while true {
            let flight = state.withLock { state -> Flight? in
                guard state.phase.process === process else { return nil }
                while let next = state.queued.first {
                    if let flight = state.flight(with: next) {
                        state.unsent[next.number] = nil
                        state.flights.insert(flight, for: flight.number)
                        return flight
                    }
                    _ = state.queued.popFirst()
                }
                return nil
            }
            guard let flight else { return true }
            // A call that ended while it waited is not made.
            let outcome: MessageWriter.Outcome? =
                services.isRunning(flight.token) ? post(flight, to: process) : nil
            if case .noRoom? = outcome {
                return state.withLock { state in
                    if state.flights.remove(flight.number) != nil {
                        state.unsent[flight.number] = flight
                    }
                    return false
                }
            }
            let isOpen = state.withLock { state in
                // Its process may have ended meanwhile, and a thread of the next one may have taken it out.
                if state.queued.first == flight.ticket { _ = state.queued.popFirst() }
                if case .sent? = outcome { return false }
                return state.flights.remove(flight.number) != nil
            }
            switch outcome {
            case .sent?: cancelIfOver(flight)
            case .tooLong(let size)? where isOpen: settle(flight, Self.tooLong(flight, size))
            case nil where isOpen: settle(flight, Self.cancelled(flight))
            default: break
            }
        }
    }

    private static func cancelled(_ flight: Flight) -> PluginError {
        .ended("`\(flight.function.name)` was cancelled before it was sent to its worker")
    }

    /// The host has cancelled a call. Its worker hears of it; a call that no worker has got is over.
    func cancel(_ token: CallToken) {
        let (process, waiting) = state.withLock { state -> (WorkerProcess?, Flight?) in
            state.lasting.remove(token.bits)
            if let flight = state.unsent.removeValue(forKey: token.bits) { return (nil, flight) }
            state.flights[token.bits]?.isCancelled = true
            return (state.phase.process, nil)
        }
        if let waiting { return waiting.returned(Self.cancelled(waiting)) }
        guard let process else { return }
        process.send(.cancel) { $0.put(UInt64(token.bits)) }
        // The keeping thread kills the worker if the function does not return.
        wakeKeeper()
    }

    /// Has the process close a pointer that a plugin has opened, and waits until it has. Without a process, it is
    /// closed.
    func close(_ address: UInt, by function: String, of plugin: UInt64) {
        // The worker logs what goes wrong, and its end closes the pointer too.
        _ = try? ask(.close) { body in
            body.put(plugin)
            body.put(function)
            body.put(fixed: UInt64(address))
        }
    }

    /// Ends a flight that was taken out.
    func settle(_ flight: Flight, _ error: PluginError?) {
        // A call of an effect that returns is over with its function.
        if !flight.function.isEmitting || error != nil { services.settle(flight.token) }
        flight.returned(error)
    }

    /// Ends all calls of a process that has ended, each once.
    ///
    /// - Parameter reason: how it ended.
    func failCalls(_ reason: String) {
        let (flights, lasting, plugins) = state.withLock { state in
            defer { (state.flights, state.lasting) = (TokenTable<Flight>(), []) }
            return (state.flights.all, state.lasting, Array(state.plugins.values))
        }
        for plugin in plugins { plugin.identity?.judging.fail("its worker has ended: \(reason)") }
        for flight in flights.sorted(by: { $0.order < $1.order }) {
            settle(flight, .ended("the worker of `\(flight.function.name)` has ended: \(reason)"))
        }
        for plugin in plugins { plugin.forgetPointers() }
        for number in lasting {
            services.fail(
                CallToken(bits: number), code: PluginError.workerEndedStatus,
                text: "its worker has ended: \(reason)")
        }
    }
}
