import CPluginABI
import Glibc
import HostLoop
import Interfaces
import PluginHost
import Records

// Changes of the process, which the keeping thread reports.
extension Worker {
    /// A process was started. Returns the request that it answers when it keeps to its rules.
    func introduce(_ process: WorkerProcess) -> WorkerRequest {
        let request = WorkerRequest()
        state.withLock { state in
            state.phase = .starting(process)
            state.requests[0] = request
        }
        return request
    }

    /// Loads the plugins of the last process into this one, which makes calls from then on.
    func renew(_ process: WorkerProcess) throws(PluginError) {
        let plugins = state.withLock { $0.plugins.values.sorted { $0.number < $1.number } }
        for plugin in plugins { try plugin.renew(in: process) }
        flush(process)
    }

    /// A process has ended. Its requests fail.
    ///
    /// - Returns: whether it had run, and whether the worker is to end.
    func hasEnded(_ process: WorkerProcess, _ reason: String) -> (wasRunning: Bool, wantsEnd: Bool) {
        let (result, requests) = state.withLock { state in
            defer { (state.phase, state.requests) = (.waiting, [:]) }
            let wasRunning = if case .running = state.phase { true } else { false }
            return ((wasRunning, state.wantsEnd), Array(state.requests.values))
        }
        openMetrics.withLock { if $0?.process === process { $0 = nil } }
        let error = PluginError.ended("the worker of `\(setup.name)` has ended: \(reason)")
        for request in requests { request.give(.failure(error)) }
        return result
    }

    /// No process is started before `mayStart`. Calls that wait fail.
    func beginQuarantine(_ reason: String) {
        report("\(reason); it rests for \(setup.restart.backoff.upperBound)")
        failWhatWaits(.quarantine(reason)) { .ended("\($0) was not called: \(reason)") }
    }

    /// Enters a phase without processes: calls and threads that wait for one fail.
    private func failWhatWaits(_ phase: Phase, _ error: (_ subject: String) -> PluginError) {
        let (waiting, waiters) = state.withLock { state in
            state.phase = phase
            defer { state.waiters = [] }
            return (state.takeUnsent(), state.waiters)
        }
        for waiter in waiters { waiter.give(.failure(error("a plugin"))) }
        for flight in waiting { settle(flight, error("`\(flight.function.name)`")) }
    }

    /// The wait before the next process is over; false if the worker is to end.
    func mayStart() -> Bool {
        state.withLock { state in
            state.phase = .waiting
            return !state.wantsEnd
        }
    }

    /// No process will be started any more.
    func end(_ error: PluginError) {
        failCalls(error.message)
        failWhatWaits(.ended) { _ in error }
    }

    /// Whether the keeping thread must look now and then: after calls that have a limit or wait for room.
    var needsLooks: Bool {
        state.withLock { state in
            !state.unsent.isEmpty
                || !state.flights.isEmpty
                    && (setup.processorTime != nil || state.flights.all.contains(where: \.isCancelled))
        }
    }

    /// Kills the process if one of its calls has broken a limit. A call that waits for its lane is not made yet.
    func enforceDeadlines(_ process: WorkerProcess) {
        let time = setup.processorTime.flatMap { _ in process.processorTime }
        let reason = state.withLock { state in
            var first: [UInt64: Flight] = [:]
            for flight in state.flights.all where flight.lane != 0 {
                if let other = first[flight.lane], other.order < flight.order { continue }
                first[flight.lane] = flight
            }
            for flight in state.flights.all where flight.lane == 0 || first[flight.lane] === flight {
                if let reason = brokenLimit(flight, processorTime: time) { return Optional(reason) }
            }
            return nil
        }
        if let reason { process.kill(reason) }
    }

    /// The limit that a call which is made has broken, in words.
    private func brokenLimit(_ flight: Flight, processorTime time: Duration?) -> String? {
        let name = flight.function.name
        if flight.isCancelled {
            let since = flight.cancelledSince ?? .now
            flight.cancelledSince = since
            if since.duration(to: .now) > setup.cancelGrace {
                return "`\(name)` did not return within \(setup.cancelGrace) of its cancellation"
            }
        }
        guard let time, let limit = setup.processorTime else { return nil }
        let before = flight.processorTime ?? time
        flight.processorTime = before
        return time - before > limit ? "`\(name)` took more than \(limit) of processor time" : nil
    }

    /// Logs a line about the worker.
    func report(_ text: String, level: Int32 = SPIN_LOG_ERROR, matter: PluginLogLine.Matter = .fault) {
        let plugin = state.withLock { $0.plugins.count == 1 ? $0.plugins.values.first : nil }?.identity
        services.write(
            PluginLogLine(
                plugin: plugin?.id ?? setup.name, version: plugin?.version ?? "", call: nil, level: level,
                text: text, matter: matter))
    }
}

extension WorkerProcess {
    /// The processor time that the process has used; nil if the system does not tell.
    var processorTime: Duration? {
        guard let number else { return nil }
        var clock = clockid_t()
        var time = timespec()
        // Safe because the calls write the locals that they are given.
        guard unsafe clock_getcpuclockid(number, &clock) == 0, unsafe clock_gettime(clock, &time) == 0 else {
            return nil
        }
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
