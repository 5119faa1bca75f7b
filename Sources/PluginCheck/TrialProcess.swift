import Interfaces
import Isolation
public import PluginHost
import Records

/// Processes of this program that try a plugin. A crash or a hang of the plugin is an outcome, too.
public struct TrialProcess: Sendable {
    /// Why a process could not begin, which is not the plugin's fault.
    public struct Failure: Error, Sendable {
        /// The reason in words.
        public let reason: String

        /// - Parameter reason: as the property.
        public init(_ reason: String) { self.reason = reason }
    }

    private let program: String
    private let limit: Duration

    /// - Parameters:
    ///   - program: the path of this program, which calls `WorkerProgram.run(TrialProcess.work)`.
    ///   - limit: how long a trial may take, a whole number of seconds.
    public init(program: String, limit: Duration) { (self.program, self.limit) = (program, limit) }

    /// What a process does: a `WorkerTask.Work`.
    @Sendable public static func work(
        _ input: [UInt8], _ progress: @escaping (String) -> Void
    ) throws(PluginError) -> [UInt8] {
        let request: TrialRequest
        do { request = try TrialRequest(input) } catch {
            throw PluginError(.workerNotStarted, "the request is damaged: \(error)")
        }
        return try request.outcome(progress: progress).bytes
    }

    /// Tries a rule on the library at a path.
    ///
    /// - Parameters:
    ///   - effect: the effect to call, for rules of `Stage.calls` only.
    ///   - seed: the seed for the arguments of calls. The same seed makes the same calls.
    public func outcome(
        of rule: CheckRule, path: String, effect: String?, seed: UInt64
    ) throws(Failure) -> RuleOutcome {
        // Such a rule runs no code of the library.
        if rule.stage == .file { return FileTrial(path: path).outcome(of: rule) }
        return try outcome(of: .rule(rule, path: path, effect: effect, seed: seed), named: rule.rawValue)
    }

    /// Tries a version of the plugin that the manifest has under this name.
    public func outcome(of trial: LibraryTrial, named name: String) throws(Failure) -> RuleOutcome {
        try outcome(of: .library(trial), named: name)
    }

    private func outcome(of request: TrialRequest, named name: String) throws(Failure) -> RuleOutcome {
        let tried: WorkerTask.Outcome
        do throws(PluginError) {
            tried = try WorkerTask(program: program, limit: limit).run(request.bytes)
        } catch { throw Failure("the process of `\(name)` could not start: \(error.message)") }
        let during = tried.progress.map { "; the last call was `\($0)`" } ?? ""
        if case .exited(0) = tried.end, let outcome = tried.result.flatMap({ RuleOutcome($0) }) {
            // The plugin may have forked a child process, which the host has ended with this message.
            let child = tried.lines.first {
                $0.hasPrefix("error: ") && $0.hasSuffix("a child calls `exec` or `_exit`")
            }
            return child.map { .failed(String($0.dropFirst(7))) } ?? outcome
        }
        // A start waits for `create` as long as it takes: no crash in time is all that a trial can tell.
        if case .library(let trial) = request, trial.isFirst, tried.isLate, tried.progress != nil {
            return .passed
        }
        if let report = tried.lines.first(where: { $0.hasPrefix("fatal: ") }) {
            return .failed("\(report.dropFirst(7))\(during)")
        }
        switch tried.end {
        case .killed where tried.isLate:
            let seconds = limit.components.seconds
            return .failed("it does not end within \(seconds) second\(seconds == 1 ? "" : "s")\(during)")
        case .killed(let reason): return .failed("the process was killed: \(reason)\(during)")
        case .signal(let number):
            return .failed("the process was ended by \(SignalName.name(number))\(during)")
        case .exited(let code):
            return .failed("the process ended with exit code \(code) and without an outcome\(during)")
        }
    }
}

extension RuleOutcome {
    fileprivate var bytes: [UInt8] {
        let writer = ByteWriter()
        writer.put(status.rawValue)
        writer.put(message)
        return writer.bytes
    }

    /// Reads an outcome; nil if it is damaged.
    fileprivate init?(_ bytes: [UInt8]) {
        let texts = try? ByteReader.read(bytes) { reader throws(DamagedBytes) in
            (try reader.text(), try reader.text())
        }
        guard let texts, let status = Status(rawValue: texts.0) else { return nil }
        self.init(status, texts.1)
    }
}
