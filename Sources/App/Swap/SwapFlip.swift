import Dispatch
import HostLoop

/// Has the loops of a run call another version of a plugin, each from a step boundary of its own on, all or none.
final class SwapFlip: Sendable {
    enum Result {
        /// All call the new version; the longest time that one of them took for it.
        case flipped(Duration)
        /// A loop does not come to the end of its step: none calls the new version.
        case held(loop: Int)
        /// All have stopped before.
        case ended
    }

    private struct State {
        var isWithdrawn = false
        var flipped: Set<Int> = []
        var pause = Duration.zero
    }

    private let run: AppRun
    private let loops: [Int]
    private let plugin: Int
    private let state = Lock(State())

    /// - Parameters:
    ///   - loops: those that call the plugin.
    ///   - plugin: its index in the manifest.
    init(_ run: AppRun, _ loops: [Int], plugin: Int) {
        (self.run, self.loops, self.plugin) = (run, loops, plugin)
    }

    /// Waits until all loops call the new version, or until none does.
    func flip(from old: LoadedPlugin, to new: LoadedPlugin, within deadline: Duration) -> Result {
        let done = DispatchGroup()
        var running = 0
        for loop in loops {
            done.enter()
            let runs = run.betweenSteps(ofLoop: loop) { [self] in
                flip($0, loop, to: new)
                done.leave()
            }
            // What has stopped calls nothing any more.
            if runs { running += 1 } else { done.leave() }
        }
        if done.wait(timeout: .now() + deadline / .seconds(1)) == .timedOut {
            let flipped = state.withLock { state in
                state.isWithdrawn = state.flipped.count < running
                return state.flipped
            }
            if flipped.count < running {
                for loop in flipped {
                    _ = run.betweenSteps(ofLoop: loop) { [plugin] in $0.use(old, as: plugin) }
                }
                return .held(loop: loops.first { !flipped.contains($0) } ?? loops[0])
            }
            // The last one is at it.
            done.wait()
        }
        return state.withLock { $0.flipped.isEmpty ? .ended : .flipped($0.pause) }
    }

    private func flip(_ assembly: LoopAssembly, _ loop: Int, to new: LoadedPlugin) {
        let flips = state.withLock { state in
            if !state.isWithdrawn { state.flipped.insert(loop) }
            return !state.isWithdrawn
        }
        guard flips else { return }
        let began = ContinuousClock.now
        assembly.use(new, as: plugin)
        let pause = began.duration(to: .now)
        state.withLock { $0.pause = max($0.pause, pause) }
    }
}
