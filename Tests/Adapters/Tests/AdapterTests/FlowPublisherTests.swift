import HostLoop
import HostLoopFlow
import HostLoopOpenCombine
import OpenCombine
import Synchronization
import Testing

/// Flows and states as publishers: demand, buffering, order, end.
struct FlowPublisherTests {
    struct Broken: Error, Equatable {}

    final class Label {
        var text = ""
    }

    @Test func statesNeverFail_soTheyCanBeAssigned() {
        let loop = counter.start()
        let label = Label()
        let cancellable = loop.publisher().map(String.init).assign(to: \.text, on: label)
        #expect(label.text == "0")
        loop.emit(2)
        #expect(label.text == "2")
        cancellable.cancel()
        loop.emit(3)
        #expect(label.text == "2")
    }

    @Test func statesFinish_whenTheLoopStops() {
        let loop = counter.start()
        let subscriber = Requester<Int, Never>(first: .unlimited)
        loop.publisher().subscribe(subscriber)
        loop.emit(1)
        loop.stop()
        #expect(subscriber.values == [0, 1])
        #expect(subscriber.completions == 1)
    }

    @Test func spin_startsALoopForEachSubscription_whichOwnsIt() {
        let log = Log()
        let ticks = Flow<Int> { sink in
            log.append("begins")
            sink.onCancel { log.append("ends") }
            sink.emit(1)
        }
        let spin = Spin<Int, Int>(
            initialState: 0, reducer: Reducer { $0 + $1 }, feedbacks: [.always("ticks", source: { ticks })],
            executor: .caller)
        let (one, two) = (Requester<Int, Never>(first: .unlimited), Requester<Int, Never>(first: .unlimited))
        spin.publisher().subscribe(one)
        spin.publisher().subscribe(two)
        #expect(one.values == [0, 1] && two.values == [0, 1])
        one.cancel()
        #expect(log.lines == ["begins", "begins", "ends"])
    }

    @Test func valuesWaitForDemand_andTheCompletionForTheValues() {
        let subscriber = Requester<Int, any Error>()
        Flow.of(1, 2, 3).publisher().subscribe(subscriber)
        #expect(subscriber.values == [])
        subscriber.request(.max(2))
        #expect(subscriber.values == [1, 2] && subscriber.completions == 0)
        subscriber.request(.max(1))
        #expect(subscriber.values == [1, 2, 3] && subscriber.completions == 1)
        subscriber.request(.max(1))
        #expect(subscriber.completions == 1)
    }

    @Test func demandThatASubscriberReturns_andRequestsWithinADelivery_add() {
        let subscriber = Requester<Int, any Error>(first: .max(1)) { subscriber, value in
            if value == 2 { subscriber.request(.max(1)) }
            return value == 1 ? .max(1) : .none
        }
        Flow.of(1, 2, 3, 4).publisher().subscribe(subscriber)
        #expect(subscriber.values == [1, 2, 3])
    }

    @Test(arguments: [
        (StateBuffering.unbounded, [0, 1, 2, 3, 4]), (.newest(1), [4]), (.newest(2), [3, 4]),
        (.oldest(2), [0, 1]), (.newest(0), []), (.oldest(0), []),
    ])
    func bufferKeepsWhatItSays(_ buffering: StateBuffering, _ kept: [Int]) {
        let loop = counter.start()
        let subscriber = Requester<Int, Never>()
        loop.publisher(buffering: buffering).subscribe(subscriber)
        for state in 1...4 { loop.emit(state) }
        subscriber.request(.unlimited)
        #expect(subscriber.values == kept)
        loop.emit(5)
        #expect(subscriber.values == kept + [5], "a subscriber with demand gets everything")
    }

    @Test func cancellationWithinADelivery_endsIt_andReleasesTheSource() {
        let log = Log()
        let source = Flow<Int> { sink in
            sink.onCancel { log.append("cancelled") }
            for value in 1...3 { log.append("\(value) \(sink.emit(value))") }
        }
        let subscriber = Requester<Int, any Error>(first: .unlimited) { subscriber, value in
            if value == 2 { subscriber.cancel() }
            return .none
        }
        source.publisher().subscribe(subscriber)
        #expect(subscriber.values == [1, 2] && subscriber.completions == 0)
        #expect(log.lines == ["1 queued", "cancelled", "2 queued", "3 cancelled"])
    }

    @Test func cancellationAtTheSubscription_startsNothing() {
        final class Refusing: Subscriber {
            func receive(subscription: any OpenCombine.Subscription) { subscription.cancel() }
            func receive(_ input: Int) -> Subscribers.Demand { .none }
            func receive(completion: Subscribers.Completion<any Error>) {}
        }
        let log = Log()
        Flow<Int> { _ in log.append("started") }.publisher().subscribe(Refusing())
        #expect(log.lines == [])
    }

    @Test func failureOfAFlow_followsItsValues() {
        let log = Log()
        let cancellable = Flow.of(1).append(.fail(Broken())).publisher().sink(
            receiveCompletion: { end in
                if case .failure(let error) = end { log.append("fails: \(error is Broken)") }
            }, receiveValue: { log.append("\($0)") })
        #expect(log.lines == ["1", "fails: true"])
        cancellable.cancel()
    }

    @Test func subscriberIsReleased_afterTheEndAndTheCancellation() {
        weak var ended: Requester<Int, any Error>?
        weak var cancelled: Requester<Int, any Error>?
        do {
            let one = Requester<Int, any Error>(first: .unlimited)
            Flow.of(1).publisher().subscribe(one)
            ended = one
            let two = Requester<Int, any Error>(first: .unlimited)
            Flow<Int>.never.publisher().subscribe(two)
            two.cancel()
            cancelled = two
        }
        #expect(ended == nil)
        #expect(cancelled == nil)
    }

    @Test func observedLoop_andGear_havePublishers() async {
        let gear = Gear<Int>()
        let messages = Requester<Int, Never>(first: .unlimited)
        gear.publisher().subscribe(messages)
        gear.propagate(event: 7)
        #expect(messages.values == [7])

        let observed = ObservableLoop(counter)
        let (states, events) = (
            Requester<Int, Never>(first: .unlimited), Requester<Int, Never>(first: .unlimited)
        )
        observed.publisher().subscribe(states)
        observed.eventPublisher().subscribe(events)
        observed.start()
        observed.emit(3)
        #expect(states.values == [0, 3])
        #expect(events.values == [3])
    }

    /// A loop on the pool, a subscriber that requests from another thread.
    @Test func valuesComeInOrder_oneAtATime_whileThreadsRequest() async {
        let count = 20_000
        let isInside = Atomic<Bool>(false)
        let overlaps = Atomic<Int>(0)
        let subscriber = Requester<Int, Never> { _, value in
            if isInside.exchange(true, ordering: .acquiringAndReleasing) {
                overlaps.add(1, ordering: .relaxed)
            }
            isInside.store(false, ordering: .releasing)
            return value % 3 == 0 ? .max(1) : .none
        }
        let spin = Spin<Int, Int>(
            initialState: 0, reducer: Reducer { $0 + $1 },
            feedbacks: [.onState(flow: { $0 < count ? .just(1) : .none })], until: { $0 == count })
        spin.publisher().subscribe(subscriber)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    while subscriber.completions == 0 {
                        subscriber.request(.max(2))
                        await Task.yield()
                    }
                }
            }
        }
        #expect(subscriber.values == Array(0...count))
        #expect(overlaps.load(ordering: .relaxed) == 0)
    }

    private var counter: Spin<Int, Int> {
        Spin(initialState: 0, reducer: Reducer { $1 }, feedbacks: [], executor: .caller)
    }
}
