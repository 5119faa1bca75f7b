import Testing

@testable import Isolation

/// The order of jobs in a worker.
struct LanesTests {
    private let lanes = Lanes()
    private let jobs = (0..<3).map { _ in OtherJob {} }

    @Test func jobsOfALane_areDoneOneAtATime_inOrder() {
        #expect(lanes.enter(3, jobs[0]))
        #expect(!lanes.enter(3, jobs[1]) && !lanes.enter(3, jobs[2]))
        #expect(lanes.enter(5, jobs[0]))
        #expect(lanes.leave(3) === jobs[1])
        #expect(lanes.leave(3) === jobs[2])
        #expect(lanes.leave(3) == nil)
        #expect(lanes.enter(3, jobs[0]))
    }

    @Test func jobsWithoutALane_overlap() {
        #expect(lanes.enter(0, jobs[0]) && lanes.enter(0, jobs[1]))
        #expect(lanes.leave(0) == nil)
    }

    /// A plugin may undo for a cancelled call what it does for the next one.
    @Test func jobsAfterACancellation_waitUntilThePluginHasHeardOfIt() {
        #expect(lanes.enter(3, jobs[0]))
        lanes.hold(3)
        // The function has returned, and the plugin is still busy with the cancellation.
        #expect(lanes.leave(3) == nil)
        #expect(!lanes.enter(3, jobs[1]))
        #expect(lanes.leave(3) === jobs[1])
    }
}
