import CPluginABI
import Glibc
import HostLoop
import PluginHost
import Records

/// The thread of a worker in the host: it starts each process, reads its output, kills it when a call breaks a limit,
/// and sees its end. A process ends with the thread that has started it.
// Safe because its thread alone uses what changes.
final class WorkerKeeper: @unchecked Sendable {
    private let worker: Worker
    /// When processes have ended by themselves.
    private var ends: [ContinuousClock.Instant] = []
    private var wait: Duration
    private var lastLines: [String] = []

    private static let look: Int32 = 50
    /// How long a process may leave calls unread while it has room for no more.
    private static let patience = Duration.seconds(10)

    init(_ worker: Worker) {
        self.worker = worker
        wait = worker.setup.restart.backoff.lowerBound
    }

    /// Starts processes until the worker's last plugin is gone.
    func keep() {
        var hasRun = false
        while true {
            let process: WorkerProcess
            do throws(PluginError) { process = try start() } catch {
                guard hasRun else { return worker.end(error) }
                worker.report(error.message)
                guard rest(isTooOften: false) else { return finish() }
                continue
            }
            let begin = ContinuousClock.now
            let reason = attend(process)
            if begin.duration(to: .now) > worker.setup.restart.within {
                wait = worker.setup.restart.backoff.lowerBound
            }
            let (wasRunning, wantsEnd) = worker.hasEnded(process, reason)
            if wantsEnd { return finish() }
            worker.failCalls(reason)
            hasRun = hasRun || wasRunning
            guard hasRun else { return worker.end(.notStarted(said(reason))) }
            worker.report(said(reason))
            ends.append(.now)
            let rule = worker.setup.restart
            ends.removeAll { $0.duration(to: .now) > rule.within }
            guard rest(isTooOften: ends.count >= rule.limit) else { return finish() }
        }
    }

    /// The reason of an end with the last lines that the worker has written.
    private func said(_ reason: String) -> String {
        lastLines.isEmpty ? reason : "\(reason); it wrote: \(lastLines.joined(separator: " | "))"
    }

    /// Starts a process and the thread that reads its messages.
    private func start() throws(PluginError) -> WorkerProcess {
        let process = try WorkerProcess(worker.setup)
        let begun = worker.introduce(process)
        let isReading = HostThread.start { [worker] in
            process.read { kind, message throws(DamagedBytes) in
                try worker.take(kind, &message, of: process)
            }
        }
        guard isReading else {
            process.reap()
            _ = worker.hasEnded(process, "the system has no thread left")
            throw .notStarted("the system has no thread left")
        }
        introduce(process, begun)
        return process
    }

    private func finish() { worker.end(.ended("its worker has ended")) }

    /// Has a new process load what the last one had, on a thread of its own: this one must see its end.
    private func introduce(_ process: WorkerProcess, _ begun: WorkerRequest) {
        let work = { @Sendable [worker] in
            var unobserved: PluginError?
            do throws(PluginError) { try process.observe { worker.heard($0) } } catch { unobserved = error }
            do throws(PluginError) {
                // A worker that could not restrict itself sends no listener, and answers why.
                worker.skipped(try begun.answer())
                if let unobserved { throw unobserved }
            } catch { return process.kill(error.message) }
            do throws(PluginError) { try worker.renew(process) } catch {
                process.kill("it could not do again what was done before: \(error.message)")
            }
        }
        if !HostThread.start(work) { process.kill("the system has no thread left") }
    }

    /// Waits for the end of a process; how it ended, in words.
    private func attend(_ process: WorkerProcess) -> String {
        var rest: [UInt8] = []
        lastLines = []
        func heard(_ line: String) {
            lastLines.append(line)
            if lastLines.count > 8 { lastLines.removeFirst() }
            worker.report(line, level: SPIN_LOG_INFO, matter: .ofPlugin)
        }
        var stuckSince: ContinuousClock.Instant?
        while true {
            let isOver = process.wait(
                worker.needsLooks ? Self.look : -1, waking: worker.bellDescriptor, lines: heard, &rest)
            worker.silence()
            if isOver { break }
            if worker.state.withLock({ $0.wantsEnd }) { process.kill("the host ended it") }
            if worker.isRunning(process), !worker.sendQueued(to: process) {
                let since = stuckSince ?? .now
                stuckSince = since
                if since.duration(to: .now) > Self.patience {
                    process.kill("it did not read what the host has sent")
                }
            } else {
                stuckSince = nil
            }
            worker.enforceDeadlines(process)
        }
        if !rest.isEmpty { heard(String(decoding: rest, as: UTF8.self)) }
        return process.settle().description
    }

    /// Waits before the next process; false if the worker is to end.
    private func rest(isTooOften: Bool) -> Bool {
        let rule = worker.setup.restart
        let time = isTooOften ? rule.backoff.upperBound : wait
        wait = isTooOften ? rule.backoff.lowerBound : min(wait * 2, rule.backoff.upperBound)
        if isTooOften {
            ends = []
            worker.beginQuarantine("its worker has ended \(rule.limit) times within \(rule.within)")
        }
        let end = ContinuousClock.now.advanced(by: time)
        while true {
            if worker.state.withLock({ $0.wantsEnd }) { return false }
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { break }
            var bell = pollfd(fd: worker.bellDescriptor, events: Int16(POLLIN), revents: 0)
            // Safe because the call gets the number of structures, one.
            _ = unsafe poll(&bell, 1, Int32(min(left, .seconds(3600)) / .milliseconds(1)) + 1)
            worker.silence()
        }
        return worker.mayStart()
    }
}
