import Diagnostics
import Glibc
import HostLoop
import Interfaces
import PluginHost
import Records

/// Tries the rules of `CheckRule.Stage.calls` on one effect: calls it several times with arguments made from
/// a seed.
///
/// The calls are the same for each rule.
final class CallTrial {
    /// The number of calls.
    static let calls = 32

    private let host: TrialHost
    private let effect: EffectDescription
    private let interface: CallInterface
    private let seed: UInt64
    private let progress: (String) -> Void

    /// The instance for its calls, if it takes one.
    private var instance: PluginInstance?

    // The calls, whose memory must live until they have ended, and their faults.
    private var running: [(call: PreparedCall, sink: TrialSink, token: CallToken)] = []
    private var unreturned: [String] = []
    private var thrown: [String] = []
    private var invalid: [String] = []

    /// A trial of one effect.
    ///
    /// - Parameter progress: called with the text of each call before it is made.
    /// - Throws: if the plugin has no such effect, or the effect cannot be called.
    init(
        _ effect: EffectDescription, of image: PluginImage, in host: TrialHost, seed: UInt64,
        progress: @escaping (String) -> Void
    ) throws(PluginError) {
        (self.host, self.effect, self.seed, self.progress) = (host, effect, seed, progress)
        let signature: CallSignature
        do { signature = try effect.function.trialSignature() } catch {
            throw PluginError(error.code, error.message, help: error.help)
        }
        interface = try CallInterface(signature, of: image.effect(effect.name))
    }

    func outcome(of rule: CheckRule) -> RuleOutcome {
        let signature = interface.signature
        for parameter in signature.parameters {
            if let reason = RandomArguments.refusal(parameter, signature) { return .skipped(reason) }
        }
        guard rule != .cancels || effect.isEmitting else {
            return .skipped("its call ends when it returns")
        }
        let before = ProcessState()
        if effect.takesInstance {
            do { try begin() } catch { return .skipped(error.reason) }
        }
        callAll(cancelling: rule == .cancels)
        end()
        switch rule {
        case .callsReturn, .cancels:
            let remains = rule == .cancels ? remains(since: before, also: []) : []
            // Both lists have a crash of the effect itself, so one of them is enough.
            let faults = unreturned.isEmpty ? host.reports(about: .fault) : unreturned
            let found = RuleOutcome.of(faults + remains)
            guard found == .passed, rule == .callsReturn, let first = thrown.first else { return found }
            let rest = thrown.count > 1 ? "; and \(thrown.count - 1) more" : ""
            return RuleOutcome(.warning, "\(first)\(rest)")
        case .validResults: return ifTried(.of(invalid + running.flatMap(\.sink.rejections)))
        case .headerRules: return ifTried(.of(host.reports(about: .brokenRule)))
        default:
            let changes = ProcessState().changes(since: before).map { "its calls change \($0)" }
            return ifTried(
                .of(
                    changes + host.reports(about: .replacedHandler)
                        + remains(since: before, also: [\.files]) + remainingBuffers()))
        }
    }

    /// The outcome; skipped if calls failed, so that a passed rule would mean nothing.
    private func ifTried(_ outcome: RuleOutcome) -> RuleOutcome {
        let hasFailed = !(unreturned.isEmpty && thrown.isEmpty) && outcome == .passed
        return hasFailed ? .skipped("some of its calls do not return, so the rule cannot be tried") : outcome
    }

    private func callAll(cancelling: Bool) {
        var random = RandomArguments(seed: seed, for: effect.name)
        for _ in 0..<Self.calls {
            let call = PreparedCall(interface)
            if let instance { call.setInstance(instance) }
            var words: [String] = []
            for parameter in interface.signature.parameters {
                guard let field = parameter.passing.input else { continue }
                let value = random.value(for: parameter, interface.signature.inputs.fields[field].type)
                words.append(Self.short(value.json))
                // A number that is too large for a `float` is not stored: the argument stays zero.
                try? call.setInput(field, to: value)
            }
            let delay = Int64.random(in: 0...300_000, using: &random)
            let text = "\(effect.name)(\(words.joined(separator: ", ")))"
            progress(text)
            guard invoke(call, text, cancelAfter: cancelling ? delay : nil) else { return }
        }
    }

    /// Makes one call; false if the plugin cannot be called any more.
    private func invoke(_ call: PreparedCall, _ text: String, cancelAfter delay: Int64?) -> Bool {
        var token: CallToken?
        if effect.isEmitting {
            let sink = TrialSink(of: call)
            let begun: CallToken
            do {
                begun = try host.services.begin(sink, for: interface.function.image, effect: effect.name)
            } catch {
                unreturned.append("`\(text)`: \(error.message)")
                return false
            }
            call.setCall(begun)
            running.append((call, sink, begun))
            token = begun
            if let delay {
                let clock = ContinuousLoopClock()
                // The call may have returned before; cancelling it must work then too.
                _ = clock.schedule(at: clock.now.advanced(by: .nanoseconds(delay))) { [host] in
                    host.services.cancel(begun)
                }
            }
        }
        do { try call.invoke() } catch {
            if let token { host.services.cancel(token) }
            let fault = "`\(text)`: \(error.message)"
            switch error.code {
            case .badResult, .callOverran: invalid.append(fault)
            // An exception is a warning only, because the host turns it into a fault of the call.
            case .callThrew: thrown.append(fault)
            default: unreturned.append(fault)
            }
            return error.code != .callCrashed
        }
        return true
    }

    /// Creates the instance and starts it.
    private func begin() throws(TrialInstance.Refusal) {
        let made = try TrialInstance(of: interface.function.image).next()
        do throws(PluginError) {
            try made.create()
            do throws(PluginError) { try made.start() } catch {
                made.destroy()
                throw error
            }
        } catch { throw TrialInstance.Refusal(reason: "with its default settings, \(error.message)") }
        instance = made
    }

    /// Waits a second for the calls to end, cancels those that have not, and destroys the instance.
    private func end() {
        Self.wait(milliseconds: 1000) { running.allSatisfy { !host.services.isRunning($0.token) } }
        for run in running { host.services.cancel(run.token) }
        if let instance {
            instance.stop()
            TrialInstance.end(instance)
        }
    }

    /// The threads, and with `\.files` the open files, that the calls have not released, in words.
    private func remains(since before: ProcessState, also: [KeyPath<ProcessState, Int>]) -> [String] {
        let kinds: [(KeyPath<ProcessState, Int>, String)] = [(\.threads, "thread"), (\.files, "open file")]
        return kinds.filter { $0.0 == \.threads || also.contains($0.0) }.compactMap { kind, name in
            // A plugin may keep a few, but not one for each call.
            let most = before[keyPath: kind] + Self.calls / 2
            Self.wait(milliseconds: 3000) { ProcessState()[keyPath: kind] <= most }
            let more = ProcessState()[keyPath: kind] - before[keyPath: kind]
            return more > Self.calls / 2
                ? "\(more) \(name)s remain after \(Self.calls) calls have ended" : nil
        }
    }

    /// The blocks of bytes that the calls have not released, in words.
    private func remainingBuffers() -> [String] {
        let count = interface.function.image.bufferCount
        // A plugin may keep a few, but not one for each call.
        return count > Self.calls / 2 ? ["\(count) buffers remain after \(Self.calls) calls have ended"] : []
    }

    /// Waits until the condition holds, or the time is over.
    private static func wait(milliseconds: Int, until condition: () -> Bool) {
        for _ in 0..<milliseconds {
            if condition() { return }
            usleep(1000)
        }
    }

    private static func short(_ text: String) -> String {
        text.count <= 60 ? text : "\(text.prefix(40))… (\(text.utf8.count) bytes)"
    }
}
