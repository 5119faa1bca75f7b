import Dispatch
import Testing

@testable import HostLoop

/// Rule 15.
@Suite struct GearTests {
    /// A loop that collects its events.
    private func collector(
        executor: LoopExecutor = .caller, mailbox: MailboxCapacity = .unbounded,
        until: (@Sendable ([Int]) -> Bool)? = nil, _ feedbacks: Feedback<[Int], Int>...
    ) -> Spin<[Int], Int> {
        Spin(
            initialState: [],
            reducer: Reducer { (state: inout [Int], event: Int) -> Bool in
                state.append(event)
                return true
            }, feedbacks: feedbacks, until: until, mailbox: mailbox, executor: executor)
    }

    private func receiver(_ gear: Gear<Int>) -> Feedback<[Int], Int> {
        Feedback(attachedTo: gear, propagating: { (message: Int) -> Int? in message })
    }

    @Test func statesBecomeMessagesAndMessagesBecomeEvents() {
        let gear = Gear<String>()
        let receiving = collector(
            Feedback(attachedTo: gear, propagating: { (message: String) -> Int? in Int(message) })
        ).start()
        let sending = Counting.spin(
            Feedback(
                attachedTo: gear,
                propagating: { (state: Int) -> String? in state == 3 ? nil : state == 5 ? "five" : "\(state)"
                })
        ).start()
        for event in [2, 0, 1, 2, 4] { sending.emit(event) }
        // The initial state, then each new one: 2, 3 (no message), 5 (no event), 9.
        #expect(receiving.state == [0, 2, 9])
        #expect(gear.dropped == 0)
    }

    @Test func oneStateAndOneMessageAreCaught() {
        let gear = Gear<String>()
        let receiving = collector(Feedback(attachedTo: gear, catching: "three", emitting: 30)).start()
        let sending = Counting.spin(
            Feedback(attachedTo: gear, catching: 3, propagating: "three"),
            Feedback(attachedTo: gear, catching: 4, propagating: "four")
        ).start()
        for event in [1, 2, 1] { sending.emit(event) }
        #expect(receiving.state == [30])
    }

    @Test func aMessageIsNotDeliveredInTheCallOfItsSender() async {
        let (gear, gate, labels) = (Gear<Int>(), Gate(), Box<[String?]>([]))
        let log = LoopLog<[Int], Int>()
        let loop = collector(
            executor: .serial("receiver", blocking: true),
            Feedback(
                attachedTo: gear,
                propagating: { (message: Int) -> Int? in
                    labels.change { $0.append(LoopExecutor.current?.label) }
                    return message
                }),
            .onEvent("block", where: { _, event in event == 1 }) { _, _ in
                gate.pass()
                return nil
            }
        ).start(observers: [log])
        loop.emit(1)
        await log.wait(for: "run block 1")
        gear.propagate(event: 2)
        #expect(labels.value.isEmpty)
        gate.open()
        await log.wait { $0.contains { $0.hasPrefix("step 2 2") } }
        #expect(labels.value == ["receiver"])
        #expect(log.steps.last?.origin.run?.feedback == "gear")
    }

    @Test func aMessageWithoutAnAttachedLoopIsGone() {
        let gear = Gear<Int>()
        gear.propagate(event: 1)
        let loop = collector(receiver(gear)).start()
        gear.propagate(event: 2)
        #expect(loop.state == [2])
        #expect(gear.dropped == 0)
    }

    @Test func theLastMessagesAreGivenToALoopThatIsAttachedLater() {
        let gear = Gear<Int>(replaying: 2)
        let first = collector(receiver(gear)).start()
        for message in 1...3 { gear.propagate(event: message) }
        let second = collector(
            receiver(gear),
            .always(run: { _, _ in
                gear.propagate(event: 4)
                return .finished
            })
        ).start()
        gear.propagate(event: 5)
        #expect(first.state == [1, 2, 3, 4, 5])
        #expect(second.state == [2, 3, 4, 5])
    }

    @Test func aLoopThatStopsIsDetached() async {
        let gear = Gear<Int>(replaying: 1)
        var loop: Loop<[Int], Int>? = collector(receiver(gear)).start()
        let other = collector(receiver(gear)).start()
        let end = loop?.ended
        gear.propagate(event: 1)
        #expect(gear.count == 2)
        loop = nil
        await end?.wait()
        #expect(gear.count == 1)
        gear.propagate(event: 2)
        #expect(other.state == [1, 2])
        #expect(gear.dropped == 0)
        other.stop()
        await other.ended.wait()
        #expect(gear.count == 0)
    }

    @Test func aGearKeepsNothingOfALoopThatEnded() {
        let gear = Gear<Int>()
        weak var core: LoopCore<[Int], Int>?
        do {
            let loop = collector(receiver(gear)).start()
            core = loop.core
            gear.propagate(event: 1)
        }
        #expect(core == nil)
    }

    @Test func aFullMailboxIsNotWaitedFor() {
        let gear = Gear<Int>()
        let emitter = Box<Emitter<Int>?>(nil)
        let loop = collector(
            mailbox: .bounded(2), receiver(gear),
            .onEvent(where: { _, event in event == 1 || event == 2 }) { _, event in
                if event == 1 { for message in 10...14 { gear.propagate(event: message) } }
                if event == 2 {
                    for event in [20, 21] { emitter.value?.emit(event) }
                    gear.propagate(event: 30)
                }
                return nil
            }
        ).start()
        emitter.value = loop.emitter
        loop.emit(1)
        // Two messages wait for the loop, which is busy, and both find room.
        #expect(loop.state == [1, 10, 11])
        #expect(gear.dropped == 3)
        loop.emit(2)
        // The message waits, but finds the mailbox full.
        #expect(loop.state == [1, 10, 11, 2, 20, 21])
        #expect(gear.dropped == 4)
        #expect(loop.counters.dropped == 1)
    }

    @Test func aFullMailboxTakesNoMessageBehindAModifierEither() {
        let gear = Gear<Int>()
        let emitter = Box<Emitter<Int>?>(nil)
        let loop = collector(
            mailbox: .bounded(2), receiver(gear).onEventEmitted { _ in },
            .onEvent(where: { _, event in event == 1 }) { _, _ in
                for event in [20, 21] { emitter.value?.emit(event) }
                gear.propagate(event: 30)
                return nil
            }
        ).start()
        emitter.value = loop.emitter
        loop.emit(1)
        #expect(loop.state == [1, 20, 21])
        #expect(gear.dropped == 1)
    }

    @Test(.timeLimit(.minutes(10))) func messagesThatAGearKeptReachALoopWhoseReceiverIsElsewhere() async {
        let gear = Gear<Int>(replaying: 1)
        gear.propagate(event: 5)
        let log = LoopLog<[Int], Int>()
        let loop = collector(receiver(gear).execute(on: .serial("other"))).start(observers: [log])
        await log.wait { $0.contains { $0.hasPrefix("step 1 5") } }
        gear.propagate(event: 6)
        await log.wait { $0.contains { $0.hasPrefix("step 2 6") } }
        #expect(loop.state == [5, 6])
    }

    @Test func messagesThatALoopStopsBeforeAreCounted() {
        let gear = Gear<Int>()
        let stop = Box<(@Sendable () -> Void)?>(nil)
        let loop = collector(
            receiver(gear),
            .onEvent(where: { _, event in event == 1 }) { _, event in
                for message in 10...12 { gear.propagate(event: message) }
                stop.value?()
                gear.propagate(event: 13)
                return nil
            }
        ).start()
        stop.value = { [weak loop] in loop?.stop() }
        loop.emit(1)
        #expect(loop.state == [1])
        #expect(gear.dropped == 3)
        #expect(gear.count == 0)
    }

    @Test func messagesOfOneSenderStayInOrderAndReachEveryLoop() async {
        let gear = Gear<Int>()
        let loops = (0..<2).map { _ in
            collector(executor: .pool, until: { $0.count == 4_001 }, receiver(gear))
        }.map { $0.start() }
        // A loop is attached once it has begun.
        for loop in loops {
            for await state in loop.states() where state.isEmpty { break }
        }
        #expect(gear.count == 2)
        DispatchQueue.concurrentPerform(iterations: 4) { sender in
            for index in 0..<1_000 { gear.propagate(event: sender * 10_000 + index) }
        }
        gear.propagate(event: -1)
        for loop in loops {
            await loop.ended.wait()
            #expect(loop.state.last == -1)
            for sender in 0..<4 {
                let own = loop.state.filter { $0 >= 0 && $0 / 10_000 == sender }
                #expect(own == (0..<1_000).map { sender * 10_000 + $0 })
            }
        }
        #expect(gear.dropped == 0)
    }

    @Test(arguments: [LoopExecutor.pool.label, LoopExecutor.caller.label])
    func twoLoopsMayDriveEachOtherThroughGears(executor: String) async {
        let executor: LoopExecutor = executor == "pool" ? .pool : .caller
        let (there, back) = (Gear<String>(replaying: 1), Gear<String>(replaying: 1))
        func spin(_ from: Gear<String>, _ to: Gear<String>) -> Spin<Int, Int> {
            Spin(
                initialState: 0,
                reducer: Reducer { (state: inout Int, event: Int) -> Bool in
                    guard event > state else { return false }
                    state = event
                    return true
                },
                feedbacks: [
                    Feedback(attachedTo: to, propagating: { (state: Int) -> String? in "\(state)" }),
                    Feedback(
                        attachedTo: from,
                        propagating: { (message: String) -> Int? in Int(message).map { $0 + 1 } }),
                ], until: { $0 >= 1_000 }, executor: executor)
        }
        let loops = [spin(back, there).start(), spin(there, back).start()]
        await loops[0].ended.wait()
        await loops[1].ended.wait()
        for loop in loops { #expect((1_000...1_001).contains(loop.state)) }
        #expect(there.dropped + back.dropped <= 4)
    }

    @Test func messagesBecomeEventsOnTheFeedbacksOwnExecutor() async {
        let (gear, labels) = (Gear<Int>(replaying: 3), Box<[String?]>([]))
        let map: @Sendable (Int) -> Int? = { message in
            labels.change { $0.append(LoopExecutor.current?.label) }
            return message
        }
        for message in 1...3 { gear.propagate(event: message) }
        let loop = collector(
            executor: .pool, until: { $0.count == 4 },
            Feedback<[Int], Int>(attachedTo: gear, propagating: map).execute(on: .serial("maps"))
        ).start()
        for await state in loop.states() where state.count == 3 { gear.propagate(event: 4) }
        await loop.ended.wait()
        #expect(loop.state == [1, 2, 3, 4])
        #expect(labels.value == ["maps", "maps", "maps", "maps"])
    }

    @Test func aLoopThatOnlyReceivesIsQuiescent_andAgainAfterEachDelivery() {
        let gear = Gear<Int>()
        let log = LoopLog<[Int], Int>()
        let loop = collector(
            Feedback(attachedTo: gear, propagating: { (message: Int) -> Int? in message > 0 ? message : nil })
        ).start(observers: [log])
        #expect(log.lines("quiescent").count == 1)
        gear.propagate(event: 1)
        #expect(log.lines("quiescent").count == 2)
        // A message that becomes no event was on its way all the same.
        gear.propagate(event: 0)
        #expect(log.lines("quiescent").count == 3)
        #expect(loop.state == [1])
    }

    @Test func aDelayedReceiverIsNotQuiescentBeforeItsEvent() async {
        let gear = Gear<Int>()
        let log = LoopLog<[Int], Int>()
        let receiving = receiver(gear).delay(for: .seconds(1))
        let loop = collector(receiving).start(observers: [log])
        #expect(log.lines("quiescent").isEmpty)
        loop.stop()
    }

    @Test func severalEventsOfOneMessageAreOneEntry() {
        let (gear, attached) = (Gear<Int>(), Box(0))
        let small = MailboxCapacity.bounded(2)
        let loop = collector(
            mailbox: small,
            Feedback(
                "numbers", receivingFrom: gear, attached: { attached.change { $0 += 1 } },
                emitting: { message in Array(0..<message) })
        ).start()
        #expect(attached.value == 1 && gear.count == 1)
        gear.propagate(event: 2)
        #expect(loop.state == [0, 1])
        gear.propagate(event: 0)
        // It never has room, and is not split.
        gear.propagate(event: 3)
        #expect(loop.state == [0, 1])
        #expect(gear.dropped == 1 && gear.undelivered == 0)
        #expect(loop.counters.dropped == 3)
    }

    @Test func messagesCountAsUndeliveredUntilTheirEventsAreQueued() {
        let (gear, counts) = (Gear<Int>(), Box<[Int]>([]))
        let loop = collector(
            Feedback(
                "counted", receivingFrom: gear,
                emitting: { message in
                    counts.change { $0.append(gear.undelivered) }
                    if message == 1 { gear.propagate(event: 2) }
                    return [message]
                })
        ).start()
        gear.propagate(event: 1)
        #expect(counts.value == [1, 1])
        #expect(gear.undelivered == 0)
        #expect(loop.state == [1, 2])
    }
}
