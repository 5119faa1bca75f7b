import HostLoop
import Testing

/// What a journal hears of runs that begin and end in one call.
@Suite(.timeLimit(.minutes(10))) struct JournalCallTests {
    /// Notes what it hears.
    private final class Notes: LoopJournal {
        let lines = Lock<[String]>([])
        let hearsOfCallsAtOnce: Bool
        let makesStepsDurable: Bool

        init(atOnce: Bool, durable: Bool) { (hearsOfCallsAtOnce, makesStepsDurable) = (atOnce, durable) }

        private func note(_ line: String) { lines.withLock { $0.append(line) } }

        func stepped(
            _ event: borrowing Int, to state: borrowing Int, feedback: Int32, run: UInt64, endsEntry: Bool,
            answers: Bool
        ) {
            if answers { note("began \(feedback) \(run)") }
            note("step \(feedback) \(run)")
        }
        func refused(_ event: Int, _ why: JournalRefusal, feedback: Int32, run: UInt64, endsEntry: Bool) {
            note("refused \(feedback) \(run)")
        }
        func began(feedback: Int32, run: UInt64, events: Int?, hasWaited: Bool) {
            note("began \(feedback) \(run)")
        }
        func ended(feedback: Int32, run: UInt64, isCancelled: Bool) { note("ended \(feedback) \(run)") }
        func asked(feedback: Int32) {}
        func forgot(feedback: Int32) {}
        func makeDurable() {}
        func delivers(_ state: borrowing Int) {}
        func delivered() {}
        func rested() { note("rested") }
    }

    /// Counts to 20. Each feedback adds 1 to each of its states, or emits 0, which no transition handles.
    private func run(_ feedbacks: Int, answering answer: Int, _ notes: Notes) async -> [String] {
        let spin = Spin<Int, Int>(
            initialState: 0,
            reducer: Reducer { state, event in
                state += event
                return event != 0
            },
            feedbacks: (0..<feedbacks).map { index in
                .onState("\(index)", strategy: .continueOnNewState) { $0 > 0 && $0 < 20 ? answer : nil }
            }, until: nil, mailbox: .unbounded, clock: ContinuousLoopClock(), journal: notes,
            selection: nil, reclaim: { _ in })
        let loop = spin.start()
        loop.emit(1)
        while notes.lines.withLock({ $0.last != "rested" || !$0.contains("step -1 0") }) {
            await Task.yield()
        }
        loop.stop()
        return notes.lines.withLock { $0 }
    }

    @Test(arguments: [1, 2, 3], [1, 0])
    func `each run is noted once, before or with what becomes of its event`(feedbacks: Int, answer: Int)
        async
    {
        for (atOnce, durable) in [(false, false), (true, false), (false, true)] {
            let lines = await run(feedbacks, answering: answer, Notes(atOnce: atOnce, durable: durable))
            let began = lines.filter { $0.hasPrefix("began") }
            #expect(Set(began).count == began.count)
            for (index, line) in lines.enumerated() {
                let words = line.split(separator: " ")
                guard ["step", "refused"].contains(words[0]), words[1] != "-1" else { continue }
                let note = "began \(words[1]) \(words[2])"
                #expect(lines[..<index].contains(note), "\(note) is missing before \(line)")
            }
            let steps = lines.count { $0.hasPrefix("step") }
            // A state without an answer has a run, too.
            #expect(began.count == feedbacks * (steps + 1), "\(lines)")
        }
    }

    @Test func `a run with no event behind it is noted when the loop rests`() async {
        let lines = await run(1, answering: 0, Notes(atOnce: false, durable: false))
        #expect(Array(lines.suffix(3)) == ["began 0 2", "refused 0 2", "rested"])
    }
}
