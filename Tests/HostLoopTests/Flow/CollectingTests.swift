import HostLoop
import HostLoopFlow
import TestSupport
import Testing

/// Operators that make one value of many, and those that observe a subscription.
@Suite struct CollectingTests {
    @Test func oneValueIsMadeOfAllOfThem() {
        #expect(FlowProbe(Flow.of(1, 2, 3).reduce(10, +)).lines == ["16", "finished"])
        #expect(FlowProbe(Flow.of(1, 2, 3).collect()).lines == ["[1, 2, 3]", "finished"])
        #expect(FlowProbe(Flow.of(1, 2, 3).last()).lines == ["3", "finished"])
        #expect(FlowProbe(Flow<Int>.none.last()).lines == ["finished"])
        #expect(FlowProbe(Flow<Int>.none.collect()).lines == ["[]", "finished"])
        #expect(FlowProbe(Flow<Int>.none.reduce(5, +)).lines == ["5", "finished"])
    }

    @Test func aFailureOfTheSourceLeavesNoResult() {
        let failing = Flow.of(1, 2).append(.fail(FlowFailure("source")))
        #expect(FlowProbe(failing.collect()).lines == ["failed: source"])
        #expect(FlowProbe(failing.last()).lines == ["failed: source"])
    }

    @Test func aFailureOfTheFunctionCancelsTheSource() {
        let source = HandSource<Int>()
        let probe = FlowProbe(
            source.flow.reduce(0) { sum, value in
                if value == 2 { throw FlowFailure("two") }
                return sum + value
            })
        source.emit(1, 2, 3)
        source.finish()
        #expect(probe.lines == ["failed: two"])
        #expect(source.cancelled == [0])
    }

    @Test func theFirstValueEndsTheFlow() {
        let source = HandSource<Int>()
        let (first, large) = (FlowProbe(source.flow.first()), FlowProbe(source.flow.first { $0 > 5 }))
        source[0].emit(1)
        source.emit(1, 7, 8)
        #expect(first.lines == ["1", "finished"])
        #expect(large.lines == ["7", "finished"])
        #expect(source.cancelled == [0, 1])
    }

    @Test func theLifeOfASubscriptionIsObserved() {
        func lines(_ flow: Flow<Int>, cancels: Bool = false) -> [String] {
            let lines = Box<[String]>([])
            let probe = FlowProbe(
                flow.onStart { lines.change { $0.append("start") } }
                    .onCompletion { completion in
                        switch completion {
                        case .finished: lines.change { $0.append("finished") }
                        case .failure(let error): lines.change { $0.append("failed: \(error)") }
                        }
                    }
                    .onCancel { lines.change { $0.append("cancelled") } }
                    .onEnd { lines.change { $0.append("end") } }
            ) { _, value in lines.change { $0.append("\(value)") } }
            if cancels { probe.cancel() }
            return lines.value
        }
        #expect(lines(.of(1, 2)) == ["start", "1", "2", "finished", "end"])
        #expect(lines(.fail(FlowFailure("a"))) == ["start", "failed: a", "end"])
        #expect(lines(.just(1).append(.never), cancels: true) == ["start", "1", "end", "cancelled"])
        #expect(lines(.of(1, 2, 3).prefix(2)) == ["start", "1", "2", "finished", "end"])
    }

    @Test func anOperatorThatEndsTheFlowCancelsWhatIsObservedBeforeIt() {
        let cancelled = Box(0)
        #expect(
            FlowProbe(
                Flow.of(1, 2, 3).append(.never).onCancel { cancelled.change { $0 += 1 } }.prefix(2)
            ).lines == ["1", "2", "finished"])
        #expect(cancelled.value == 1)
    }
}
