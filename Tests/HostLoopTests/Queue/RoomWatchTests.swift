@testable import HostLoop
import HostLoopTesting
import TestSupport
import Testing

/// Those who wait for room without an entry: `Run.whenRoom`.
@Suite(.timeLimit(.minutes(10))) struct RoomWatchTests {
    /// A loop on the caller's thread with a pending run of a feedback, and a script that runs while event 1 is
    /// reduced.
    private func counts(
        _ mailbox: MailboxCapacity,
        _ script: @escaping @Sendable (Loop<Int, Int>, Run<Int>, @escaping @Sendable () -> Void) -> Void
    ) -> [Int] {
        let (runs, called, seen) = (Runs(), Box(0), Box<[Int]>([]))
        let busy = Box<Loop<Int, Int>?>(nil)
        let source = Feedback<Int, Int>.always("a", run: { state, run in runs.start(state, run) })
        let acting = Feedback<Int, Int>.onEvent("script", where: { _, _ in true }) { _, event in
            if event == 1, let loop = busy.value {
                script(loop, runs[0]) { called.change { $0 += 1 } }
            }
            seen.change { $0.append(called.value) }
            return nil
        }
        let loop = Spin(
            initialState: 0, reducer: Counting.reducer, feedbacks: [source, acting], mailbox: mailbox,
            executor: .caller
        ).start()
        busy.value = loop
        loop.emit(1)
        busy.value = nil
        loop.stop()
        runs.finishAll()
        seen.change { $0.append(called.value) }
        return seen.value
    }

    @Test func `an unbounded mailbox has room at once`() {
        #expect(counts(.unbounded) { _, run, body in run.whenRoom(body) } == [1, 1])
    }

    @Test func `a mailbox that is half empty has room at once`() {
        #expect(
            counts(.bounded(4)) { loop, run, body in
                loop.emit(10)
                loop.emit(11)
                run.whenRoom(body)
            } == [1, 1, 1, 1])
    }

    @Test func `a full mailbox has room when half of it is free`() {
        let refused = Box<EmitResult?>(nil)
        let counts = counts(.bounded(4)) { loop, run, body in
            for event in 10..<14 { loop.emit(event) }
            refused.value = loop.emit(14)
            run.whenRoom(body)
        }
        #expect(refused.value == .full)
        #expect(counts == [0, 0, 1, 1, 1, 1])
    }

    @Test func `one that needs much room waits for it, and those after it wait, too`() {
        #expect(
            counts(.bounded(4)) { loop, run, body in
                for event in 10..<14 { loop.emit(event) }
                run.whenRoom(for: 3, body)
                run.whenRoom(body)
            } == [0, 0, 0, 2, 2, 2])
    }

    @Test func `one that needs more room than half waits although half is free`() {
        #expect(
            counts(.bounded(4)) { loop, run, body in
                for event in 10..<12 { loop.emit(event) }
                run.whenRoom(for: 4, body)
            } == [0, 0, 1, 1])
    }

    @Test func `each of several is called once`() {
        #expect(
            counts(.bounded(2)) { loop, run, body in
                for event in 10..<12 { loop.emit(event) }
                for _ in 0..<3 { run.whenRoom(body) }
            } == [0, 3, 3, 3])
    }

    @Test func `one that is withdrawn is not called`() {
        #expect(
            counts(.bounded(2)) { loop, run, body in
                for event in 10..<12 { loop.emit(event) }
                let wait = run.whenRoom(body)
                wait.cancel()
                wait.cancel()
            }.last == 0)
    }

    @Test func `one that is withdrawn holds up no others`() {
        var room = MailboxRoom<Int>(limit: 4, overflow: .reject, isObserved: false)
        room.queued = 4
        let large = room.watch(4) {}
        #expect(large != nil && room.watch(1) {} != nil)
        room.release(2)
        #expect(room.takeWatchers().isEmpty)
        #expect(large.map { room.withdraw(watcher: $0).count } == 1)
        #expect(large.map { room.withdraw(watcher: $0).count } == 0)
        #expect(room.waits.watchers.isEmpty)
    }

    @Test func `the stop of the loop calls those who wait`() {
        #expect(
            counts(.bounded(1)) { loop, run, body in
                loop.emit(10)
                run.whenRoom(body)
                loop.stop()
            }.last == 1)
    }

    @Test func `after the stop they are called at once`() {
        #expect(
            counts(.bounded(1)) { loop, run, body in
                loop.stop()
                run.whenRoom(body)
            } == [1, 1])
    }
}
