import CPluginABI
import Glibc
import HostLoop
import Interfaces
import PluginHost
import Records

// What the keeping thread tells the worker of its processes.
extension Worker {
    /// A process was started. Returns the request that it answers when it keeps to its rules.
    func introduce(_ process: WorkerProcess) -> WorkerRequest {
        let request = WorkerRequest()
        state.withLock { state in
            (state.process, state.phase) = (process, .starting)
            state.requests[0] = request
        }
        return request
    }

    /// Loads the plugins of the last process into this one, which makes calls from then on.
    func renew(_ process: WorkerProcess) throws(PluginError) {
        let plugins = state.withLock { $0.plugins.values.sorted { $0.number < $1.number } }
        for plugin in plugins { try plugin.renew() }
        flush(process)
    }

    /// A process has ended. Its requests fail.
    ///
    /// - Returns: whether it had run, and whether the worker is to end.
    func hasEnded(_ process: WorkerProcess, _ reason: String) -> (wasRunning: Bool, wantsEnd: Bool) {
        let (result, requests) = state.withLock { state in
            defer { (state.process, state.phase, state.requests) = (nil, .waiting, [:]) }
            var wasRunning = false
            if case .running = state.phase { wasRunning = true }
            return ((wasRunning, state.wantsEnd), Array(state.requests.values))
        }
        for request in requests {
            request.give(.failure(.ended("the worker of `\(setup.name)` has ended: \(reason)")))
        }
        return result
    }

    /// No process is started before `mayStart`. Calls that wait fail.
    func beginQuarantine(_ reason: String) {
        let waiting = state.withLock { state in
            state.phase = .quarantine(reason)
            defer { state.queued = [] }
            return state.queued
        }
        report("\(reason); it rests for \(setup.restart.backoff.upperBound)")
        for flight in waiting {
            settle(flight, .ended("`\(flight.function.name)` was not called: \(reason)"))
        }
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
        let waiting = state.withLock { state in
            state.phase = .ended
            defer { state.queued = [] }
            return state.queued
        }
        failCalls(error.message)
        for flight in waiting { settle(flight, error) }
    }

    /// Whether some call has a limit that the keeping thread must look after.
    var hasDeadlines: Bool {
        state.withLock { state in
            !state.flights.isEmpty
                && (setup.processorTime != nil || state.flights.values.contains { $0.cancelledAt != nil })
        }
    }

    /// Kills the process if one of its calls has broken a limit.
    func enforceDeadlines(_ process: WorkerProcess) {
        let time = setup.processorTime.flatMap { _ in process.processorTime }
        let reason = state.withLock { state -> String? in
            for flight in state.flights.values {
                if let cancelled = flight.cancelledAt, cancelled.duration(to: .now) > setup.cancelGrace {
                    return
                        "`\(flight.function.name)` did not return within \(setup.cancelGrace) of its cancellation"
                }
                guard let time, let limit = setup.processorTime else { continue }
                if let before = flight.processorTime {
                    guard time - before <= limit else {
                        return "`\(flight.function.name)` took more than \(limit) of processor time"
                    }
                } else {
                    flight.processorTime = time
                }
            }
            return nil
        }
        if let reason { process.kill(reason) }
    }

    /// Logs a line about the worker.
    func report(_ text: String, level: Int32 = SPIN_LOG_ERROR, matter: PluginLogLine.Matter = .fault) {
        let image = state.withLock { $0.plugins.count == 1 ? $0.plugins.values.first : nil }?.image
        services.write(
            PluginLogLine(
                plugin: image?.id ?? setup.name, version: image?.description?.version ?? "", call: nil,
                level: level,
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
