import HostLoop
import PluginHost

/// Has the loops of a run call another version of a plugin, each from the end of its step on.
final class LoopSwitch: Sendable {
    enum Outcome {
        /// All running loops call the other version. Has the longest time that a loop was paused for the
        /// switch.
        case switched(Duration)
        /// A loop did not reach the end of its step in time.
        case held(loop: Int)
        /// All loops had stopped before.
        case ended
    }

    private struct State {
        var isWithdrawn = false
        var switched: Set<Int> = []
        var pause = Duration.zero
    }

    private let run: AppRun
    private let loops: [Int]
    private let plugin: Int
    private let state = Lock(State())

    /// - Parameters:
    ///   - loops: the loops that call the plugin.
    ///   - plugin: its index in the manifest.
    init(_ run: AppRun, _ loops: [Int], plugin: Int) {
        (self.run, self.loops, self.plugin) = (run, loops, plugin)
    }

    /// Waits until all loops call the new version.
    ///
    /// - Parameter old: the version that all loops call again when one is held. If nil, the other loops keep
    ///   the new version, and the held loop calls it from the end of its step on.
    func perform(to new: PluginVersion, orBackTo old: PluginVersion?, by deadline: Deadline) -> Outcome {
        let held = deadline.waitForAll(loops) { loop, done in
            let runs = run.betweenSteps(ofLoop: loop) { [self] in
                perform($0, loop, to: new)
                done()
            }
            // A loop that has stopped calls nothing any more.
            if !runs { done() }
        }
        if !held.isEmpty {
            let (isLate, switched) = state.withLock { state in
                // A held loop may have switched since the deadline.
                let isLate = held.contains { !state.switched.contains($0) }
                state.isWithdrawn = isLate && old != nil
                return (isLate, state.switched)
            }
            if isLate {
                if let old { run.use(old, as: plugin, in: Array(switched)) }
                return .held(loop: held[0])
            }
        }
        return state.withLock { $0.switched.isEmpty ? .ended : .switched($0.pause) }
    }

    private func perform(_ assembly: LoopAssembly, _ loop: Int, to new: PluginVersion) {
        let isWanted = state.withLock { state in
            if !state.isWithdrawn { state.switched.insert(loop) }
            return !state.isWithdrawn
        }
        guard isWanted else { return }
        let began = ContinuousClock.now
        assembly.use(new, as: plugin)
        let pause = began.duration(to: .now)
        state.withLock { $0.pause = max($0.pause, pause) }
    }
}

extension AppRun {
    /// Has loops call a version of a plugin, each from the end of its step on. Does not wait.
    func use(_ plugin: PluginVersion, as index: Int, in loops: [Int]) {
        for loop in loops { _ = betweenSteps(ofLoop: loop) { $0.use(plugin, as: index) } }
    }

    /// Waits until each loop has reached the end of its current step, or has ended.
    ///
    /// - Returns: a loop that has not, as an index into `Manifest.loops`.
    func waitForStepEnd(of loops: [Int], by deadline: Deadline) -> Int? {
        deadline.waitForAll(loops) { loop, done in
            if betweenSteps(ofLoop: loop, { _ in done() }) { return }
            // The loop is stopping, perhaps within a step.
            guard let ending = self.loop(at: loop) else { return done() }
            ending.ended.notify { done() }
        }.first
    }
}
