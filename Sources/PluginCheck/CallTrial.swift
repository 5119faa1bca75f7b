import Diagnostics
import Glibc
import HostLoop
import Interfaces
import PluginHost
import Records

/// Tries the rules of `CheckRule.Stage.calls` on one effect: calls it again and again with arguments from a seed.
///
/// The calls are the same for each rule.
final class CallTrial {
    /// How often it is called.
    static let calls = 32

    private let host: TrialHost
    private let effect: EffectDescription
    private let interface: CallInterface
    private let seed: UInt64
    private let progress: (String) -> Void

    /// What its calls are for, when it takes an instance.
    private var instance: PluginInstance?

    // Memory that calls refer to until they are over, and what became of them.
    private var running: [(call: PreparedCall, sink: TrialSink, token: CallToken)] = []
    private var unreturned: [String] = []
    private var thrown: [String] = []
    private var invalid: [String] = []

    /// - Parameter progress: is told of each call before it is made.
    /// - Throws: when the plugin has no such effect, or it cannot be called at all.
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
            return .skipped("it is over when it returns")
        }
        let before = ProcessState()
        if effect.takesInstance {
            do { try begin() } catch { return .skipped(error.reason) }
        }
        callAll(cancelling: rule == .cancels)
        end()
        switch rule {
        case .callsReturn, .cancels:
            let left = rule == .cancels ? self.left(since: before, also: []) : []
            // A crash of the effect itself is among both.
            let found = RuleOutcome.of((unreturned.isEmpty ? host.said(about: .fault) : unreturned) + left)
            guard found == .passed, rule == .callsReturn, let first = thrown.first else { return found }
            let rest = thrown.count > 1 ? "; and so do \(thrown.count - 1) more" : ""
            return RuleOutcome(.warning, "\(first)\(rest)")
        case .validResults: return unless(.of(invalid + running.flatMap(\.sink.rejections)))
        case .headerRules: return unless(.of(host.said(about: .brokenRule)))
        default:
            let changes = ProcessState().changes(since: before).map { "its calls change \($0)" }
            return unless(
                .of(changes + host.said(about: .replacedHandler) + left(since: before, also: [\.files])))
        }
    }

    /// The outcome, unless too little was tried for it to mean anything.
    private func unless(_ outcome: RuleOutcome) -> RuleOutcome {
        let hasFailed = !(unreturned.isEmpty && thrown.isEmpty) && outcome == .passed
        return hasFailed ? .skipped("some of its calls do not return, and say nothing about this") : outcome
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
                // A number that is too great for a `float` is left out: zero is an argument as well.
                try? call.setInput(field, to: value)
            }
            let delay = Int64.random(in: 0...300_000, using: &random)
            let text = "\(effect.name)(\(words.joined(separator: ", ")))"
            progress(text)
            guard invoke(call, text, cancelAfter: cancelling ? delay : nil) else { return }
        }
    }

    /// Makes one call; false when the plugin cannot be called any more.
    private func invoke(_ call: PreparedCall, _ text: String, cancelAfter delay: Int64?) -> Bool {
        var token: CallToken?
        if effect.isEmitting {
            let sink = TrialSink()
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
                // Whether it returned before or not.
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
            // The host has an answer to that.
            case .callThrew: thrown.append(fault)
            default: unreturned.append(fault)
            }
            return error.code != .callCrashed
        }
        return true
    }

    /// Makes the instance and starts it.
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

    /// Waits until the calls are over, for a while, and cancels those that are not.
    private func end() {
        Self.wait(milliseconds: 1000) { running.allSatisfy { !host.services.isRunning($0.token) } }
        for run in running { host.services.cancel(run.token) }
        if let instance {
            instance.stop()
            TrialInstance.end(instance)
        }
    }

    /// What each of the calls has left behind, in words.
    private func left(since before: ProcessState, also: [KeyPath<ProcessState, Int>]) -> [String] {
        let kinds: [(KeyPath<ProcessState, Int>, String)] = [(\.threads, "thread"), (\.files, "open file")]
        return kinds.filter { $0.0 == \.threads || also.contains($0.0) }.compactMap { kind, name in
            // A plugin may keep some, but not one of each call.
            let most = before[keyPath: kind] + Self.calls / 2
            Self.wait(milliseconds: 3000) { ProcessState()[keyPath: kind] <= most }
            let more = ProcessState()[keyPath: kind] - before[keyPath: kind]
            return more > Self.calls / 2
                ? "\(Self.calls) calls that are over leave \(more) \(name)s behind" : nil
        }
    }

    /// Waits until it is so, or the time is over.
    private static func wait(milliseconds: Int, until isSo: () -> Bool) {
        for _ in 0..<milliseconds {
            if isSo() { return }
            usleep(1000)
        }
    }

    private static func short(_ text: String) -> String {
        text.count <= 60 ? text : "\(text.prefix(40))… (\(text.utf8.count) bytes)"
    }
}
