import HostLoop
import HostLoopFlow
import HostLoopOpenCombine
import OpenCombine
import Testing

/// Publishers as effects and sources of a loop.
struct PublisherFlowTests {
    struct Broken: Error, Equatable {}

    @Test func publisherAsEffect_isSynchronous_asItsSourceIs() {
        let loop = spin(.onChange("ask", request: { $0 == [1] ? 1 : nil }, flow: { Just($0 + 1).flow }))
            .start()
        #expect(loop.state == [])
        loop.perform(1)
        #expect(loop.state == [1, 2])
    }

    @Test func subjectAsSource_emitsUntilTheLoopStops() {
        let subject = PassthroughSubject<Int, Never>()
        let values = subject.flow
        let loop = spin(.always("subject", source: { values })).start()
        subject.send(1)
        subject.send(2)
        loop.stop()
        subject.send(3)
        #expect(loop.state == [1, 2])
        #expect(loop.counters.late == 0, "the subscription ended with the loop")
    }

    @Test func endOfARun_cancelsItsPublisher() {
        let log = Log()
        let never = Empty<Int, Never>(completeImmediately: false)
            .handleEvents(
                receiveSubscription: { _ in log.append("begins") }, receiveCancel: { log.append("cancelled") }
            ).flow
        let loop = spin(
            .onChange("wait", request: { $0.count == 1 ? 1 : nil }, flow: { _ in never })
        ).start()
        loop.emit(1)
        #expect(log.lines == ["begins"])
        loop.emit(2)
        #expect(log.lines == ["begins", "cancelled"])
    }

    @Test func failureOfAPublisher_isTheRuns() {
        let loop = spin(
            .onChange(
                "fail", request: { $0 == [1] ? 1 : nil },
                flow: { _ in Fail<Int, Broken>(error: Broken()).flow }
            ).catch { $0 is Broken ? 9 : nil }
        ).start()
        loop.emit(1)
        #expect(loop.state == [1, 9])
    }

    @Test func flowOfAPublisherWithoutEnd_endsWithItsSubscriber() {
        let log = Log()
        let subscription = (0...).publisher.flow.prefix(3).sink { log.append("\($0)") }
        #expect(log.lines == ["0", "1", "2"])
        subscription.cancel()
    }

    @Test func completionAndFailure_reachTheFlow() async throws {
        var values: [Int] = []
        for try await value in [1, 2].publisher.flow { values.append(value) }
        #expect(values == [1, 2])
        await #expect(throws: Broken()) {
            for try await _ in Fail<Int, Broken>(error: Broken()).flow {}
        }
    }

    private func spin(_ feedback: Feedback<[Int], Int>) -> Spin<[Int], Int> {
        Spin(
            initialState: [], reducer: Reducer { $0 + [$1] }, feedbacks: [feedback], executor: .caller)
    }
}
