import HostLoop
import HostLoopTesting
import HostLoopVocabularies
import XCTest

/// The assertions of `HostLoopTesting` in test cases of XCTest, without `import Testing`.
final class AssertionTests: XCTestCase {
    private let reducer = Reducer<Int, Int> { state, event in state + event }

    func testAssertionsThatHold() async {
        reducer.assertThat(from: 1, on: 2, newStateIs: 3)
        Lamp.transitions.assertThat(from: Lamp.Off(), on: Lamp.Switch(), newStateIs: Lamp.On())
        let loop = TestLoop(Spin(initialState: 0, reducer: reducer, feedbacks: []))
        loop.send(5, newState: 5)
        await loop.finish()
    }
}

/// Assertions that do not hold. XCTestTests runs them in a process of their own, which must fail.
final class WrongAssertions: XCTestCase {
    private static let areWanted = ProcessInfo.processInfo.environment["SPIN_WRONG_ASSERTIONS"]

    override class func setUp() {
        // No test case runs here.
        if areWanted == "outside" {
            Lamp.transitions.assertThat(from: Lamp.Off(), on: Lamp.Switch(), newStateIs: Lamp.Off())
        }
    }

    func testTransition() throws {
        try XCTSkipIf(Self.areWanted == nil)
        Lamp.transitions.assertThat(from: Lamp.Off(), on: Lamp.Switch(), newStateIs: Lamp.Off())
    }

    func testLoop() async throws {
        try XCTSkipIf(Self.areWanted == nil)
        let loop = TestLoop(Spin(initialState: 0, reducer: Reducer { $0 + $1 }, feedbacks: []))
        loop.send(5, newState: 6)
        await loop.finish()
    }
}

private enum Lamp {
    struct Off: State, Equatable {}
    struct On: State, Equatable {}
    struct Switch: Event {}

    static let transitions = Transitions {
        From(Off.self) { HostLoopVocabularies.On(Switch.self, transitionTo: On()) }
    }
}
