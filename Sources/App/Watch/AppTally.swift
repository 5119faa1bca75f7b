import Diagnostics
package import HostLoop
public import Manifest

/// What an app has counted by name, beside the counters of its loops.
///
/// The runs of changed manifests share the tally of the first one, so it continues with them. Nothing here is counted
/// on the way of a step: only faults, swaps and messages are. May be used from any thread.
public final class AppTally: Sendable {
    /// What became of the swaps of one plugin.
    public struct Swaps: Hashable, Sendable {
        /// Swaps that succeeded, that were refused, that failed, and that were rolled back.
        public internal(set) var swapped = 0, refused = 0, failed = 0, rolledBack = 0
    }

    /// What became of one message of a gear.
    public struct Messages: Hashable, Sendable {
        /// The names of the gear and of the message.
        public let gear: String, message: String
        /// How often it was sent. A message of an earlier process counts there.
        public let sent: Int
        /// How often a loop got it, and how often a loop did not: its mailbox was full, or it stopped first.
        public let delivered: Int, lost: Int
    }

    private struct State {
        /// By loop and code.
        var faults: [String: [String: Int]] = [:]
        /// By plugin.
        var swaps: [String: Swaps] = [:]
        var pauses = DurationHistogram()
        /// By gear and message.
        var messages: [String: [String: MessageTally]] = [:]
    }

    private let state = Lock(State())

    init() {}

    /// The faults of a loop by their code. It includes those that are none of the engine's.
    public func faults(ofLoop name: String) -> [String: Int] { state.withLock { $0.faults[name] ?? [:] } }

    /// The faults of all loops by their code.
    public var faults: [String: Int] {
        state.withLock { state in
            state.faults.values.reduce(into: [:]) { $0.merge($1) { $0 + $1 } }
        }
    }

    /// The outcomes of swaps, by plugin. A plugin that was never to be swapped is missing.
    public var swaps: [String: Swaps] { state.withLock(\.swaps) }

    /// How long calls waited for the swaps that succeeded.
    package var pauses: DurationHistogram { state.withLock(\.pauses) }

    /// The messages of some gears, in order.
    public func messages(of gears: [GearModel]) -> [Messages] {
        gears.flatMap { gear in
            gear.messages.map { message in
                let tally = messageTally(gear.name, message.name)
                return Messages(
                    gear: gear.name, message: message.name, sent: tally.sent, delivered: tally.delivered,
                    lost: tally.lost)
            }
        }
    }

    /// Where a message is counted.
    func messageTally(_ gear: String, _ message: String) -> MessageTally {
        state.withLock { state in
            if let known = state.messages[gear]?[message] { return known }
            let made = MessageTally()
            state.messages[gear, default: [:]][message] = made
            return made
        }
    }

    func faulted(_ fault: AppFault) {
        let code = fault.diagnostic.code.rawValue
        state.withLock { $0.faults[fault.loop, default: [:]][code, default: 0] += 1 }
    }

    func swapped(_ report: SwapReport) {
        state.withLock { state in
            switch report.outcome {
            case .swapped:
                state.swaps[report.plugin, default: Swaps()].swapped += 1
                if let pause = report.pause { state.pauses.add(pause) }
            case .refused: state.swaps[report.plugin, default: Swaps()].refused += 1
            case .failed: state.swaps[report.plugin, default: Swaps()].failed += 1
            case .rolledBack: state.swaps[report.plugin, default: Swaps()].rolledBack += 1
            case .unchanged: break
            }
        }
    }
}
