import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import Testing

/// Every way of writing a feedback in the words of Spin.Swift: that the compiler takes it, and for what.
@Suite(.timeLimit(.minutes(10))) struct FeedbackFormTests {
    struct Page: Sendable, Equatable {
        var number = 3
        var request: String? = "r"
    }

    enum Event: Sendable, Equatable {
        case done(String)
        case stop
    }

    private func done(_ text: String) -> Flow<Event> { .just(.done(text)) }
    private func doneOrNot(_ number: Int) -> Event? { number > 2 ? .done("or not") : nil }
    private func doneLater(_ number: Int) async throws -> Event? { .done("later \(number)") }

    /// What a feedback emits for the initial state, and what it does with it; its events are not handled, so
    /// that there is no other state.
    private func outcome(
        of feedback: Feedback<Page, Event>, noting noted: Box<[String]> = Box([])
    ) -> [String] {
        let log = LoopLog<Page, Event>()
        return withExtendedLifetime(start(feedback, log)) { noted.value + Self.events(in: log) }
    }

    /// What a feedback that takes its time emits for the initial state.
    private func laterOutcome(of feedback: Feedback<Page, Event>) async -> [String] {
        let log = LoopLog<Page, Event>()
        let loop = start(feedback, log)
        await log.wait(for: "quiescent")
        loop.stop()
        return Self.events(in: log)
    }

    private func start(
        _ feedback: Feedback<Page, Event>, _ log: LoopLog<Page, Event>
    ) -> Loop<Page, Event> {
        Spin(initialState: Page(), executeOn: .caller) {
            feedback
            Reducer { (_: Page, _: Event) -> Page? in nil }
        }.start(observers: [log])
    }

    private static func events(in log: LoopLog<Page, Event>) -> [String] {
        log.lines("unhandled").map { String($0.dropFirst(10)) }
    }

    @Test func closuresOfTheStateWithAFlow() {
        #expect(outcome(of: Feedback(effect: { _ in .none })) == [])
        #expect(outcome(of: Feedback { _ in .none }) == [])
        #expect(outcome(of: Feedback(effect: { .just(.done("\($0.number)")) })) == [#"done("3")"#])
        #expect(outcome(of: Feedback { state in done("\(state.number)") }) == [#"done("3")"#])
        let guarded = Feedback<Page, Event>(effect: { page in
            guard page.number > 0 else { return .none }
            return .of(.done("a"), .stop)
        })
        #expect(outcome(of: guarded) == [#"done("a")"#, "stop"])
    }

    @Test func closuresOfTheStateWithAnEventOrNone() {
        #expect(outcome(of: Feedback(effect: { _ in nil })) == [])
        #expect(outcome(of: Feedback { $0.number > 0 ? .stop : nil }) == ["stop"])
        #expect(outcome(of: Feedback(effect: { .done("\($0.number)") })) == [#"done("3")"#])
        #expect(outcome(of: Feedback(effect: { doneOrNot($0.number) })) == [#"done("or not")"#])
        #expect(outcome(of: Feedback(directEffect: { _ in .stop })) == ["stop"])
        #expect(
            outcome(of: Feedback(directEffect: { _ in .stop }, filteredBy: { $0.number == 0 })) == [])
        let guarded = Feedback<Page, Event>(effect: { page in
            guard page.number > 0 else { return nil }
            return .stop
        })
        #expect(outcome(of: guarded) == ["stop"])
    }

    @Test func closuresOfTheStateThatAreAsynchronous() async {
        #expect(
            await laterOutcome(of: Feedback(effect: { try await doneLater($0.number) })) == [
                #"done("later 3")"#
            ])
        #expect(
            await laterOutcome(
                of: Feedback { page in
                    guard page.number > 5 else { return nil }
                    return try await doneLater(page.number)
                }) == [])
    }

    @Test func closuresOfTheStateThatAnswerNothing() {
        let noted = Box<[String]>([])
        @Sendable func note(_ page: Page) { noted.change { $0.append("\(page.number)") } }
        #expect(outcome(of: Feedback(effect: { note($0) }), noting: noted) == ["3"])
        #expect(outcome(of: Feedback { note($0) }, noting: noted) == ["3", "3"])
        #expect(outcome(of: Feedback(effect: note), noting: noted) == ["3", "3", "3"])
        #expect(
            outcome(of: Feedback(effect: note, filteredBy: { $0.number > 3 }), noting: noted).count == 3
        )
        #expect(
            outcome(of: Feedback(render: { if $0.number > 0 { note($0) } }), noting: noted).count == 4)
        #expect(
            outcome(
                of: Feedback(
                    effect: { note(Page(number: $0)) },
                    filteredByResult: { $0.number > 3 ? .success(0) : .failure(.effectIsNotExecuted) }),
                noting: noted
            ).count == 4)
    }

    @Test func partsOfTheState() async {
        #expect(
            outcome(of: Feedback(effect: { .just(.done("\($0)")) }, lensingOn: \.number)) == [
                #"done("3")"#
            ])
        #expect(outcome(of: Feedback(effect: { doneOrNot($0) }, lensingOn: \.number)).count == 1)
        #expect(
            await laterOutcome(of: Feedback(effect: { try await doneLater($0) }, lensingOn: \.number)).count
                == 1)
        #expect(
            outcome(
                of: Feedback(effect: { doneOrNot($0) }, lensingOn: { $0.number + 1 }, filteredBy: { $0 > 4 })
            ) == [])
        #expect(
            outcome(of: Feedback(directEffect: { .done("\($0)") }, lensingOn: \.number)) == [
                #"done("3")"#
            ])
        // A part that is there and is nil is not a part that is missing.
        #expect(
            outcome(
                of: Feedback(effect: { .just(.done($0 ?? "none")) }, lensingOn: { _ in String?.none }))
                == [#"done("none")"#])
        #expect(
            outcome(
                of: Feedback(
                    effect: { .done($0) },
                    filteredByResult: { $0.request.map { .success($0) } ?? .failure(.effectIsNotExecuted) }))
                == [#"done("r")"#])
        #expect(
            outcome(
                of: Feedback(
                    directEffect: { .done("\($0)") },
                    filteredByResult: { $0.number > 2 ? .success($0.number) : .failure(.effectIsNotExecuted) }
                ))
                == [#"done("3")"#])
        #expect(
            await laterOutcome(
                of: Feedback(effect: { try await doneLater($0) }, filteredByResult: { .success($0.number) }))
                == [#"done("later 3")"#])
    }

    @Test func streamsAndSources() {
        #expect(outcome(of: Feedback(source: { .of(.stop, .stop) })) == ["stop", "stop"])
        #expect(outcome(of: Feedback { .just(.stop) }) == ["stop"])
        #expect(outcome(of: Feedback(effect: { .just(.stop) })) == ["stop"])
        #expect(
            outcome(of: Feedback { states in states.map { .done("\($0.number)") } }) == [
                #"done("3")"#
            ])
        @Sendable func stream(_ pages: Flow<Page>) -> Flow<Event> { pages.map { .done("\($0.number)") } }
        #expect(outcome(of: Feedback(effect: stream)).count == 1)
        #expect(outcome(of: Feedback(stream: stream)).count == 1)
        #expect(
            outcome(of: Feedback(effects: [stream, { pages in pages.map { _ in .stop } }])) == [
                #"done("3")"#, "stop",
            ])
        let noted = Box<[String]>([])
        let ui = Feedback<Page, Event>(
            uiEffects: { page in noted.change { $0.append("\(page.number)") } }, { .just(.stop) })
        #expect(outcome(of: ui, noting: noted) == ["3", "stop"])
    }

    @Test func bothHalvesOfAUserInterfaceBelongToOneFeedback() {
        let (source, shown) = (HandSource<Int>(), Box<[Int]>([]))
        let loop = Spin(initialState: 0, executeOn: .caller) {
            Feedback(
                uiEffects: { (state: Int) in shown.change { $0.append(state) } },
                { () -> Flow<Int> in source.flow })
            Reducer { $0 + $1 }
        }.start()
        source.emit(1)
        source.emit(2)
        #expect(shown.value == [0, 1, 3])
        loop.stop()
        #expect(source.cancelled == [0])
    }

    @Test func anEffectThatFailsIsAFaultAndTheLoopLivesOn() {
        #expect(
            outcome(
                of: Feedback<Page, Event>(effect: { (_: Page) throws -> Flow<Event> in
                    throw Counting.Failure()
                }
                ).catch { _ in .stop }) == ["stop"])
    }
}
