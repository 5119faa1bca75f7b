import Dispatch
import HostLoop

/// Waits until the loops of a run have come to the end of the step that each is in.
enum StepBarrier {
    /// - Parameter limit: how long to wait.
    /// - Returns: a loop that has not, as an index into `Manifest.loops`; nil when all have, or have ended.
    static func wait(_ run: AppRun, _ loops: [Int], within limit: Duration) -> Int? {
        let deadline = DispatchTime.now() + limit / .seconds(1)
        let passed = loops.map { loop -> (loop: Int, group: DispatchGroup) in
            let group = DispatchGroup()
            group.enter()
            if !run.betweenSteps(ofLoop: loop, { _ in group.leave() }) {
                // It stops, perhaps within a step.
                guard let ending = run.loop(at: loop) else {
                    group.leave()
                    return (loop, group)
                }
                ending.ended.notify { group.leave() }
            }
            return (loop, group)
        }
        return passed.first { $0.group.wait(timeout: deadline) == .timedOut }?.loop
    }
}
