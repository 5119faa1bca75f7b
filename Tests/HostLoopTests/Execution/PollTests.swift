import Testing

@testable import HostLoop

/// A worker polls before it sleeps.
@Suite struct PollTests {
    /// Counts the workers that sleep at once until one polls.
    private func sleepers(_ poll: inout Poll) -> Int {
        var count = 0
        while !poll.begin() { count += 1 }
        return count
    }

    /// Does `steps` and returns their answers.
    private func answers(_ poll: inout Poll, _ steps: [(inout Poll) -> Bool]) -> [Bool] {
        steps.map { $0(&poll) }
    }

    @Test func oneWorkerPollsAtATime_andGetsOneJob() {
        var poll = Poll(isOn: true)
        let told = answers(
            &poll, [{ $0.begin() }, { $0.begin() }, { $0.claim() }, { $0.claim() }, { $0.begin() }])
        #expect(told == [true, false, true, false, false])
        poll.end()
        let afterwards = answers(&poll, [{ $0.claim() }, { $0.begin() }])
        #expect(afterwards == [false, true])
    }

    @Test func afterAPollThatFindsAJob_theNextComesAtOnce_otherwiseLaterAndLater() {
        var poll = Poll(isOn: true)
        var counts: [Int] = []
        for _ in 0..<11 {
            counts.append(sleepers(&poll))
            poll.end()
        }
        #expect(counts == [0, 1, 3, 7, 15, 31, 63, 127, 255, 255, 255])
        let last = sleepers(&poll)
        let isTold = poll.claim()
        poll.end()
        let next = sleepers(&poll)
        #expect(last == 255 && isTold && next == 0)
    }

    @Test func onOneProcessor_noWorkerPolls() {
        var poll = Poll(isOn: false)
        let told = answers(&poll, [{ $0.begin() }, { $0.claim() }])
        #expect(told == [false, false])
    }

    @Test func aJobGoesToTheWorkerThatPolls_beforeOneThatSleeps() {
        var queue = JobQueue(limit: 2, spare: 0, polls: true)
        var ready = FIFO<any Runnable>()
        let job = Job()
        var wakeUps = [queue.add(job), queue.add(job), queue.add(job)]
        #expect(wakeUps == [.newWorker, .newWorker, .timer])
        let first = next(&queue, &ready)
        #expect(first == "run" && ready.count == 2)
        ready.removeAll()
        let withoutJobs = [next(&queue, &ready), next(&queue, &ready)]
        #expect(withoutJobs == ["poll", "sleep"])
        wakeUps = [queue.add(job), queue.add(job), queue.add(job)]
        #expect(wakeUps == [.poller, .sleeper, .none])
        queue.poll.end()
        let last = next(&queue, &ready)
        #expect(last == "run" && ready.count == 2)
    }

    private func next(_ queue: inout JobQueue, _ ready: inout FIFO<any Runnable>) -> String {
        switch queue.take(all: &ready) {
        case .run: "run"
        case .poll: "poll"
        case .sleep: "sleep"
        case .end: "end"
        }
    }

    private final class Job: Runnable {
        func run() {}
    }
}
