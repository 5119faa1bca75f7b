import App
import Diagnostics
import Dispatch
import HostLoop
import Manifest
import PluginHost
import Records

/// Prints a running app: its steps as lines or JSON, its own output, and its faults.
final class RunPrinter: AppObserver {
    /// The form of steps.
    enum Steps {
        /// Steps are not printed.
        case none
        /// Lines for people; on a terminal, a limited number per second.
        case lines(StepLine, toOutput: Bool, isThrottled: Bool)
        /// JSON objects on stdout, together with the app's output and faults.
        case json
    }

    private let steps: Steps
    private let explains: Bool
    private let output: StandardOutput
    private let renderer: DiagnosticRenderer
    private let log: LogOutlet
    private let outputFailed: @Sendable (PluginError) -> Void
    // Loops report from several threads. The lock also keeps "… steps" directly before the next line.
    private let throttle = Lock(StepThrottle())

    /// A printer for one run.
    ///
    /// - Parameter outputFailed: called when stdout cannot be written, perhaps several times.
    init(
        steps: Steps, explains: Bool, output: StandardOutput, renderer: DiagnosticRenderer, log: LogOutlet,
        outputFailed: @escaping @Sendable (PluginError) -> Void
    ) {
        (self.explains, self.log) = (explains, log)
        (self.steps, self.output, self.renderer, self.outputFailed) = (steps, output, renderer, outputFailed)
    }

    var seesSteps: Bool { if case .none = steps { false } else { true } }

    var seesExplanations: Bool { explains && seesSteps }

    /// Prints one line of the app's own output; false if it cannot be written.
    func print(_ line: String) -> Bool {
        if case .json = steps { return write(Value.record([("print", .string(line))]).json) }
        return write(line)
    }

    /// Prints the number of steps that were not shown since the last shown one, and the lines that still wait.
    func flush() {
        do { try output.flush() } catch { outputFailed(error) }
        let hidden = throttle.withLock { throttle in
            defer { throttle = StepThrottle() }
            return throttle.hidden
        }
        if hidden > 0 { show("… \(CountText.count(hidden, "step"))") }
    }

    /// The process is about to end at once: writes the lines that wait, if their reader reads.
    func leave() { output.flush(within: .milliseconds(200)) }

    func started(loop: String, key: LoopKey?, step: UInt64, state: Record) {
        switch steps {
        case .none: break
        case .lines(let form, _, _):
            show(form.line(loop: AppStep.place(loop, key), step: step, initial: state))
        case .json:
            write(AppStep.initialJSON(loop: loop, step: step, state: state).json)
        }
    }

    func stepped(_ step: AppStep) {
        switch steps {
        case .none: break
        case .lines(let form, _, false): show(form.line(step))
        case .lines(let form, _, true):
            throttle.withLock { throttle in
                guard case .show(let hidden) = throttle.next(at: .now) else { return }
                if hidden > 0 { show("… \(CountText.count(hidden, "step"))") }
                show(form.line(step))
            }
        case .json:
            // With the lines of other steps, as a write for each takes far longer than the step.
            var line: [UInt8] = []
            line.reserveCapacity(256)
            step.appendJSON(to: &line)
            do { try output.addLine(Redaction.redacted(line), failed: outputFailed) } catch {
                outputFailed(error)
            }
        }
    }

    func explained(_ explanation: AppExplanation) {
        switch steps {
        case .none: break
        case .lines(let form, _, _): show(form.line(explanation))
        case .json: write(explanation.json.json)
        }
    }

    func faulted(_ fault: AppFault) {
        if case .json = steps {
            write(fault.json.json)
        } else if !log.write(fault) {
            ErrorOutput.write(renderer.render(fault.placed))
        }
    }

    func held(_ warning: AppFault) {
        // For people, the log has a line.
        if case .json = steps { write(warning.json.json) }
    }

    /// Prints the outcome of a swap.
    func swapped(_ report: SwapReport) {
        guard report.outcome != .unchanged else { return }
        if case .json = steps {
            write(report.json.json)
        } else if !log.write(report.reasons, report.line, [("PLUGIN", report.plugin)]) {
            ErrorOutput.write(report.reasons.map { renderer.render($0) + "\n" }.joined() + report.line + "\n")
        }
    }

    /// Prints whether the app of a changed manifest replaces the running one, with the reasons if it does
    /// not, and what happened to instances whose settings it changes.
    func changedManifest(
        _ path: String, _ outcome: SwapReport.Outcome, because reasons: [Diagnostic] = [],
        settings: [SettingsReport] = []
    ) {
        if case .json = steps {
            write(Self.changedManifest(path, outcome, because: reasons, settings: settings))
            return
        }
        let line =
            outcome == .swapped
            ? "the manifest has changed: the app continues with it"
            : "the manifest has changed, but the app continues as before"
        let lines = [line] + settings.map(\.line)
        if log.write(reasons, lines.joined(separator: "\n")) { return }
        ErrorOutput.write(renderer.render(reasons, in: path) + lines.map { $0 + "\n" }.joined())
    }

    /// The outcome of a changed manifest as a line of JSON.
    static func changedManifest(
        _ path: String, _ outcome: SwapReport.Outcome, because reasons: [Diagnostic] = [],
        settings: [SettingsReport] = []
    ) -> String {
        Value.record(changeOfManifest(path, outcome, because: reasons, settings: settings)).json
    }

    /// The same as the fields of an object.
    static func changeOfManifest(
        _ path: String, _ outcome: SwapReport.Outcome, because reasons: [Diagnostic],
        settings: [SettingsReport]
    ) -> [(String, Value)] {
        var fields: [(String, Value)] = [
            ("manifest", .string(path)), ("outcome", .string(outcome.rawValue)),
        ]
        if !reasons.isEmpty { fields.append(("reasons", .list(reasons.map(\.json)))) }
        if !settings.isEmpty { fields.append(("settings", .list(settings.map(\.value)))) }
        return [("swap", .record(fields))]
    }

    /// Prints the reason why a plugin could not be built.
    func notBuilt(_ plugin: String, _ reason: String) {
        ErrorOutput.line(DevSession.line(plugin, reason))
        guard case .json = steps else { return }
        let fields: [(String, Value)] = [
            ("plugin", .string(plugin)), ("outcome", .string("failed")), ("reason", .string(reason)),
        ]
        write(Value.record([("build", .record(fields))]).json)
    }

    private func show(_ line: String) {
        if case .lines(_, toOutput: true, _) = steps { write(line) } else { ErrorOutput.line(line) }
    }

    @discardableResult
    private func write(_ line: String) -> Bool {
        do {
            try output.writeLine(Redaction.redacted(line))
            return true
        } catch {
            outputFailed(error)
            return false
        }
    }
}
