import HostLoop
import PluginHost
import Records

// Calls that a worker makes.
extension Worker {
    /// Has the process make a call, or the next one when none runs now.
    func begin(_ call: RemoteCall, of function: WorkerFunction) throws(PluginError) {
        try begin(Flight(call, function))
    }

    func begin(_ flight: Flight) throws(PluginError) {
        enum Way { case now(WorkerProcess), later, never(String) }
        // The keeping thread looks after the limit only while calls are made.
        var wakes = false
        let way = state.withLock { state -> Way in
            switch state.phase {
            case .running:
                guard let process = state.process else { return .later }
                wakes = setup.processorTime != nil && state.flights.isEmpty
                state.flights[flight.number] = flight
                return .now(process)
            case .new, .starting, .waiting:
                state.queued.append(flight)
                return .later
            case .quarantine(let reason): return .never(reason)
            case .ended: return .never("its worker has ended")
            }
        }
        switch way {
        case .later: return
        case .never(let reason):
            throw .ended("`\(flight.function.name)` was not called: \(reason)")
        case .now(let process):
            if wakes { wakeKeeper() }
            guard let fault = post(flight, to: process) else { return cancelIfOver(flight) }
            // It may have failed with its process meanwhile.
            if state.withLock({ $0.flights.removeValue(forKey: flight.number) }) != nil { throw fault }
        }
    }

    /// The worker hears again of a call that was cancelled before its message was written.
    private func cancelIfOver(_ flight: Flight) {
        if flight.function.isEmitting, !services.isRunning(flight.call.token) { cancel(flight.call.token) }
    }

    /// Writes the message of a call; the reason if it cannot be passed.
    private func post(_ flight: Flight, to process: WorkerProcess) -> PluginError? {
        let timeout = flight.function.isEmitting ? services.timeout(of: flight.call.token) : nil
        switch process.send(.call, { flight.write(to: $0, timeout: timeout) }) {
        case .sent: return nil
        case .tooLong(let size):
            return PluginError(
                .badArgument,
                "`\(flight.function.name)` was not called: its arguments have \(size) bytes, and a worker takes \(MessageWriter.most)",
                help: ["pass a path to a file, or use `isolation = \"inline\"`"], symbol: flight.function.name
            )
        case .noRoom:
            process.kill("it did not read what the host has sent")
            return .ended("`\(flight.function.name)` was not called: its worker does not read")
        }
    }

    /// The process runs: it gets the calls that have waited.
    func flush(_ process: WorkerProcess) {
        while true {
            let flight = state.withLock { state -> Flight? in
                guard !state.queued.isEmpty else {
                    state.phase = .running
                    return nil
                }
                let flight = state.queued.removeFirst()
                state.flights[flight.number] = flight
                return flight
            }
            guard let flight else { return wakeKeeper() }
            guard let fault = post(flight, to: process) else { continue }
            if state.withLock({ $0.flights.removeValue(forKey: flight.number) }) != nil {
                settle(flight, fault)
            }
        }
    }

    /// The host has cancelled a call. Its worker hears of it; a call that no worker has got is over.
    func cancel(_ token: CallToken) {
        let (process, waiting) = state.withLock { state -> (WorkerProcess?, Flight?) in
            if let index = state.queued.firstIndex(where: { $0.number == token.bits }) {
                return (nil, state.queued.remove(at: index))
            }
            state.flights[token.bits]?.cancelledAt = ContinuousClock.now
            return (state.process, nil)
        }
        if let waiting {
            return waiting.call.returned(
                .ended("`\(waiting.function.name)` was cancelled before its worker ran"))
        }
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
        if !flight.function.isEmitting || error != nil { services.settle(flight.call.token) }
        flight.call.returned(error)
    }

    /// Ends all calls of a process that has ended, each once.
    ///
    /// - Parameter reason: how it ended.
    func failCalls(_ reason: String) {
        let (flights, plugins) = state.withLock { state in
            defer { state.flights = [:] }
            return (Array(state.flights.values), Array(state.plugins.values))
        }
        for plugin in plugins { plugin.image?.failProbation("its worker has ended: \(reason)") }
        for flight in flights.sorted(by: { $0.number < $1.number }) {
            settle(flight, .ended("the worker of `\(flight.function.name)` has ended: \(reason)"))
        }
        for plugin in plugins { plugin.forgetPointers() }
        // Effects whose functions have returned, and that had not ended their calls.
        for image in plugins.compactMap(\.image) {
            for token in HostServices.running(of: image) where !isQueued(token) {
                services.fail(
                    token, code: PluginError.workerEndedStatus, text: "its worker has ended: \(reason)")
            }
        }
    }

    private func isQueued(_ token: CallToken) -> Bool {
        state.withLock { state in state.queued.contains { $0.number == token.bits } }
    }
}
