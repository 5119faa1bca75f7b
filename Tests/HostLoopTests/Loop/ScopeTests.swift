import HostLoop
import Testing

/// Children within a parent.
@Suite struct ScopeTests {
    private struct Parent: Sendable, Equatable {
        var child: Int? = nil
        var other = 0
    }

    private enum Event: Sendable {
        case child(Int)
        case show(Int?)
        case other

        var ofChild: Int? {
            guard case .child(let event) = self else { return nil }
            return event
        }
    }

    private let reducer = Reducer<Parent, Event> { (parent: inout Parent, event: Event) -> Bool in
        switch event {
        case .child: return false
        case .show(let child): parent.child = child
        case .other: parent.other += 1
        }
        return true
    }

    private func start(
        _ feedbacks: Feedback<Int, Int>..., log: LoopLog<Parent, Event> = LoopLog()
    ) -> Loop<Parent, Event> {
        Spin(initialState: Parent(), reducer: reducer, feedbacks: [], executor: .caller)
            .embedding(
                Spin(initialState: 0, reducer: Counting.reducer, feedbacks: feedbacks), state: \.child,
                event: { $0.ofChild }, embed: { .child($0) }
            ).start(observers: [log])
    }

    @Test func statesWithoutEqualityAreComparedByAFunction() {
        struct Page: Sendable { var number: Int }
        struct Book: Sendable {
            var page = Page(number: 1)
            var title = "a"
        }
        enum Change: Sendable { case turn, rename }
        let seen = Box<[Int]>([])
        let child = Spin<Page, Int>(
            initialState: Page(number: 0), reducer: Reducer { (_: inout Page, _: Int) -> Bool in false },
            feedbacks: [
                .onState { page in
                    seen.change { $0.append(page.number) }
                    return nil
                }
            ])
        let loop = Spin<Book, Change>(
            initialState: Book(),
            reducer: Reducer { book, change in
                switch change {
                case .turn: book.page.number += 1
                case .rename: book.title += "b"
                }
                return true
            }, feedbacks: [], executor: .caller
        ).embedding(
            child, state: \.page, event: { _ in nil }, embed: { _ in .turn }, by: { $0.number == $1.number }
        ).start()
        loop.emit(.rename)
        loop.emit(.turn)
        loop.emit(.rename)
        #expect(seen.value == [1, 2])
    }

    @Test func aFeedbackThatIsAddedToASpinComesLast() {
        let lines = Box<[String]>([])
        func noting(_ name: String) -> Feedback<Int, Int> {
            .onState(name) { state in
                lines.change { $0.append("\(name)\(state)") }
                return nil
            }
        }
        let loop = Counting.spin(noting("a")).adding(noting("b"), noting("c")).start()
        loop.emit(1)
        #expect(lines.value == ["a0", "b0", "c0", "a1", "b1", "c1"])
    }

    @Test func anEmbeddedChildLeavesTheMailboxAsItWas() {
        let emitter = Box<Emitter<Event>?>(nil)
        let results = Box<[EmitResult?]>([])
        let loop = Spin(
            initialState: Parent(), reducer: reducer,
            feedbacks: [
                .onState(where: { $0.child != nil }) { _ in
                    for _ in 0..<2 { results.change { $0.append(emitter.value?.emit(.child(0))) } }
                    return nil
                }
            ], mailbox: .bounded(1), executor: .caller
        ).embedding(
            Spin(initialState: 0, reducer: Counting.reducer, feedbacks: []), state: \.child,
            event: { $0.ofChild }, embed: { .child($0) }
        ).start()
        emitter.value = loop.emitter
        loop.emit(.show(5))
        #expect(results.value == [.queued, .full])
    }

    @Test func aChildsEventsAreReducedOnTheChildsState() {
        let loop = start()
        loop.emit(.child(1))
        #expect(loop.counters.unhandled == 1)
        loop.emit(.show(5))
        loop.emit(.child(1))
        #expect(loop.state == Parent(child: 6))
        loop.emit(.child(-100))
        #expect(loop.counters.faults == 1)
        #expect(loop.state == Parent(child: 6))
    }

    @Test func aChildsFeedbackEmitsEventsOfTheParent() {
        let loop = start(.onState("up") { $0 < 3 ? 1 : nil })
        loop.emit(.show(1))
        #expect(loop.state == Parent(child: 3))
    }

    @Test func otherEventsOfTheParentNeitherCancelNorRepeatAChildsRun() {
        let runs = Runs()
        let loop = start(.onState("a", run: runs.start))
        loop.emit(.show(1))
        loop.emit(.other)
        #expect(runs.inputs == [1])
        #expect(!runs[0].isCancelled)
        #expect(runs[0].emit(1) == .queued)
        #expect(loop.state == Parent(child: 2, other: 1))
        #expect(runs.inputs == [1, 2])
        #expect(runs[0].isCancelled)
    }

    @Test func aChildThatGoesTakesItsRunWithItAndComesBackAfresh() {
        let runs = Runs()
        let loop = start(.onChange("a", request: { $0 }, run: runs.start))
        loop.emit(.show(1))
        loop.emit(.show(nil))
        #expect(runs[0].isCancelled)
        loop.emit(.show(1))
        #expect(runs.inputs == [1, 1])
        #expect(!runs[1].isCancelled)
    }

    @Test func aChildsFeedbackOnEventsSeesItsOwnEventsOnly() {
        let seen = Box<[String]>([])
        let loop = start(
            .onEvent("a") { state, event -> Int? in
                seen.change { $0.append("\(event) \(state)") }
                return nil
            })
        loop.emit(.show(1))
        loop.emit(.other)
        loop.emit(.child(4))
        #expect(seen.value == ["4 5"])
    }

    @Test func aChildsFeedbackForItsWholeLifeIsGivenEveryStateOfTheChild() {
        let seen = Box<[Int]>([])
        let loop = start(.always("a", effect: { state, _ in seen.change { $0.append(state) } }))
        loop.emit(.other)
        loop.emit(.show(1))
        loop.emit(.other)
        loop.emit(.child(1))
        loop.emit(.show(nil))
        loop.emit(.show(2))
        #expect(seen.value == [1, 2, 2])
    }

    @Test func aChildsRunsPerKeyLiveInTheParent() {
        let runs = Runs()
        let log = LoopLog<Parent, Event>()
        let loop = start(
            .onEach("a", requests: { Set((0..<$0).map { $0 }) }, run: runs.start), log: log)
        loop.emit(.show(2))
        #expect(runs.inputs == [0, 1])
        loop.emit(.other)
        loop.emit(.child(1))
        #expect(runs.inputs == [0, 1, 2])
        #expect(!runs[0].isCancelled)
        loop.emit(.child(-2))
        #expect(runs[1].isCancelled && runs[2].isCancelled && !runs[0].isCancelled)
        #expect(runs[0].emit(1) == .queued)
        #expect(loop.state == Parent(child: 2, other: 1))
        #expect(runs.inputs == [0, 1, 2, 1])
        loop.emit(.show(nil))
        #expect(runs[0].isCancelled && runs[3].isCancelled)
        loop.emit(.show(2))
        #expect(runs.inputs == [0, 1, 2, 1, 0, 1])
        #expect(!runs[4].isCancelled && !runs[5].isCancelled)
        #expect(log.lines("cancel").count == 4)
        loop.stop()
        #expect(runs[4].isCancelled)
        runs.finishAll()
    }

    @Test func aChangedValueOfAChildsKeyFlowsIntoItsRun() {
        let seen = Box<[String]>([])
        let loop = start(
            .onEach(
                "a", requests: { ["k": $0 / 10] },
                run: { key, first, run -> KeyedStatus<Int, Int> in
                    seen.change { $0.append("\(key) \(first)") }
                    return .pending { value, run in
                        seen.change { $0.append("then \(value)") }
                        if value == 1 { run.emit(10) }
                    }
                }))
        loop.emit(.show(1))
        loop.emit(.child(9))
        #expect(loop.state.child == 20)
        #expect(seen.value == ["k 0", "then 1", "then 2"])
    }

    @Test func aChildWithRunsPerKeyIsReleasedWithItsLoop() {
        final class Token: Sendable {}
        var token: Token? = Token()
        weak let seen = token
        do {
            let held = token ?? Token()
            let loop = start(
                .onEach("a", requests: { Set(0..<$0) }) { _, run in
                    run.onCancel { withExtendedLifetime((held, run)) {} }
                    return .pending
                })
            loop.emit(.show(2))
            loop.emit(.show(nil))
            loop.emit(.show(3))
        }
        token = nil
        #expect(seen == nil)
    }

    @Test func aChildsEffectExecutesElsewhereAndItsFailureIsCaughtAsItsOwnEvent() async {
        let log = LoopLog<Parent, Event>()
        let loop = start(
            Feedback<Int, Int>.onChange("a", request: { $0 == 1 ? 1 : nil }) { _ -> Int? in
                throw Counting.Failure()
            }.catch { _ in 10 }.execute(on: .pool), log: log)
        loop.emit(.show(1))
        await log.wait { $0.contains { $0.hasPrefix("step 2") } }
        #expect(loop.state == Parent(child: 11))
    }

    @Test func aReducerOfSeveralGivesEachTheStateOfTheOneBefore() {
        let double = Reducer<Int, Int> { (state: inout Int, event: Int) -> Bool in
            guard event > 10 else { return false }
            state *= 2
            return true
        }
        let failing = Reducer<Int, Int> { (_: inout Int, event: Int) throws -> Bool in
            if event == 13 { throw Counting.Failure() }
            return false
        }
        let loop = Spin(
            initialState: 1, reducer: .combine(Counting.reducer, double, failing), feedbacks: [],
            executor: .caller
        ).start()
        loop.emit(1)
        #expect(loop.state == 2)
        loop.emit(11)
        #expect(loop.state == 26)
        loop.emit(13)
        #expect(loop.state == 26)
        #expect(loop.counters.faults == 1)
        loop.emit(0)
        #expect(loop.counters.unhandled == 1)
    }
}
