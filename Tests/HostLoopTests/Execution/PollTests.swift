import Testing

@testable import HostLoop

/// When a thread of the pool polls before it sleeps.
@Suite struct PollTests {
    /// How many threads go to sleep at once until one polls.
    private func sleepers(_ poll: inout Poll) -> Int {
        var count = 0
        while !poll.begin() { count += 1 }
        return count
    }

    /// Does `steps`, and answers what each of them says.
    private func answers(_ poll: inout Poll, _ steps: [(inout Poll) -> Bool]) -> [Bool] {
        steps.map { $0(&poll) }
    }

    @Test func oneThreadPollsAtATime_andIsToldOfOneJob() {
        var poll = Poll(isOn: true)
        let told = answers(
            &poll, [{ $0.begin() }, { $0.begin() }, { $0.claim() }, { $0.claim() }, { $0.begin() }])
        #expect(told == [true, false, true, false, false])
        poll.end()
        let afterwards = answers(&poll, [{ $0.claim() }, { $0.begin() }])
        #expect(afterwards == [false, true])
    }

    @Test func afterAGoodPoll_theNextComesAtOnce_afterOnesInVainLaterAndLater() {
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

    @Test func onOneCore_noThreadPolls() {
        var poll = Poll(isOn: false)
        let told = answers(&poll, [{ $0.begin() }, { $0.claim() }])
        #expect(told == [false, false])
    }

    @Test func jobsAreToldToTheOneThatPolls_beforeOneThatSleeps() {
        var crew = Crew(limit: 2, polls: true)
        var ready = FIFO<any Runnable>()
        let job = Job()
        var calls = [crew.add(job), crew.add(job), crew.add(job)]
        #expect(calls == [.hire, .hire, .none])
        let first = takes(&crew, &ready)
        #expect(first == "run" && ready.count == 2)
        ready.removeAll()
        let idle = [takes(&crew, &ready), takes(&crew, &ready)]
        #expect(idle == ["poll", "wait"])
        calls = [crew.add(job), crew.add(job), crew.add(job)]
        #expect(calls == [.poller, .wake, .none])
        crew.poll.end()
        let last = takes(&crew, &ready)
        #expect(last == "run" && ready.count == 2)
    }

    private func takes(_ crew: inout Crew, _ ready: inout FIFO<any Runnable>) -> String {
        switch crew.take(all: &ready) {
        case .run: "run"
        case .poll: "poll"
        case .wait: "wait"
        }
    }

    private final class Job: Runnable {
        func run() {}
    }
}
