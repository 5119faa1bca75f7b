import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import Testing

private enum GearEvent: Sendable, Equatable {
    case authorizationIssueHappened
    case other
}

private enum Feature: Sendable, Equatable { case idle, working, unauthorized }

private enum Authorization: Sendable, Equatable { case idle, checking }

private enum AuthorizationEvent: Sendable, Equatable { case checkAuthorization, reset }

/// The cases of Spin.Swift's README: spins that talk through a gear.
@Suite(.timeLimit(.minutes(10))) struct SpinGearTests {
    private let gear = Gear<GearEvent>()

    private func feature(
        _ feedback: Feedback<Feature, Feature>
    ) -> Spin<Feature, Feature> {
        Spin(initialState: .idle, executeOn: .caller) {
            feedback
            Reducer { (_: Feature, event: Feature) in event }
        }
    }

    private func authorization(
        _ feedback: Feedback<Authorization, AuthorizationEvent>
    ) -> Spin<Authorization, AuthorizationEvent> {
        Spin(initialState: .idle, executeOn: .caller) {
            feedback
            Reducer { (_: Authorization, event: AuthorizationEvent) -> Authorization in
                event == .checkAuthorization ? .checking : .idle
            }
        }
    }

    private var receiver: Feedback<Authorization, AuthorizationEvent> {
        Feedback(attachedTo: gear, catching: .authorizationIssueHappened, emitting: .checkAuthorization)
    }

    @Test func spin20_messagesOfAGearBecomeEventsUnlessThereIsNone() {
        let log = LoopLog<Authorization, AuthorizationEvent>()
        let loop = authorization(
            Feedback<Authorization, AuthorizationEvent>(
                attachedTo: gear,
                propagating: { (event: GearEvent) in
                    if event == .authorizationIssueHappened { return .checkAuthorization }
                    return nil
                })
        ).start(observers: [log])
        gear.propagate(event: .other)
        #expect(log.states == [.idle])
        gear.propagate(event: .authorizationIssueHappened)
        #expect(loop.state == .checking)
    }

    @Test func spin21_oneMessageIsCaughtAndOneEventEmitted() {
        let log = LoopLog<Authorization, AuthorizationEvent>()
        let loop = authorization(receiver).start(observers: [log])
        gear.propagate(event: .other)
        gear.propagate(event: .authorizationIssueHappened)
        #expect(log.states == [.idle, .checking])
        loop.stop()
    }

    @Test func spin22_statesBecomeMessagesUnlessThereIsNone() {
        let receiving = authorization(receiver).start()
        let sending = feature(
            Feedback<Feature, Feature>(
                attachedTo: gear,
                propagating: { (state: Feature) in
                    if state == .unauthorized { return .authorizationIssueHappened }
                    return nil
                })
        ).start()
        sending.emit(.working)
        #expect(receiving.state == .idle)
        sending.emit(.unauthorized)
        #expect(receiving.state == .checking)
    }

    @Test func spin23_oneStateIsCaughtAndOneMessagePropagated() {
        let receiving = authorization(receiver).start()
        let sending = feature(
            Feedback(attachedTo: gear, catching: .unauthorized, propagating: .authorizationIssueHappened)
        ).start()
        sending.emit(.working)
        #expect(receiving.state == .idle)
        sending.emit(.unauthorized)
        #expect(receiving.state == .checking)
    }

    @Test func everyFormOfAGearsFeedbackRunsOnItsExecutor() async {
        let labels = Box<[String]>([])
        @Sendable func note(_ name: String) {
            labels.change { $0.append("\(name) on \(LoopExecutor.current?.label ?? "none")") }
        }
        // Who is attached late, on an executor of its own, gets the messages all the same.
        let gear = Gear<Double>(replaying: 2)
        let log = Counting.Log()
        let loop = Spin<Int, Int>(initialState: 0, executeOn: .caller) {
            Feedback(
                attachedTo: gear,
                propagating: { (message: Double) -> Int? in
                    note("event")
                    return Int(message)
                }, on: .serial("a"))
            Feedback(attachedTo: gear, catching: 5, emitting: 1, on: .serial("b"))
            Reducer { $0 + $1 }
        }.start(observers: [log])
        let sender = Spin<String, String>(initialState: "", executeOn: .caller) {
            Feedback(
                attachedTo: gear,
                propagating: { (state: String) -> Double? in
                    guard state == "go" else { return nil }
                    note("message")
                    return 5
                }, on: .serial("c"))
            Feedback(attachedTo: gear, catching: "go", propagating: 10, on: .serial("d"))
            Reducer { $1 }
        }.start()
        sender.emit("go")
        await log.wait { $0.contains { $0.hasPrefix("step 3 ") } }
        sender.stop()
        #expect(loop.state == 16)
        #expect(labels.value.sorted() == ["event on a", "event on a", "message on c"])
    }

    @Test func spin24_aFeatureThatIsUnauthorizedHasTheAuthorizationChecked() {
        let late = LoopLog<Authorization, AuthorizationEvent>()
        let early = LoopLog<Authorization, AuthorizationEvent>()
        let authorization = authorization(receiver)
        let first = authorization.start(observers: [early])
        let sending = feature(
            Feedback(attachedTo: gear, catching: .unauthorized, propagating: .authorizationIssueHappened)
        ).start()
        sending.emit(.unauthorized)
        // What is started later gets nothing of it.
        let second = authorization.start(observers: [late])
        #expect(early.states == [.idle, .checking])
        #expect(late.states == [.idle])
        first.stop()
        second.stop()
    }
}
