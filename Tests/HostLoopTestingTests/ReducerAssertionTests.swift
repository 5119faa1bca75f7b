import HostLoop
import HostLoopTesting
import Testing

@Suite struct ReducerAssertionTests {
    private let failures = Failures()
    private let start = Shop.State()

    @Test func transitionsThatHoldAreNotReported() {
        Shop.reducer.assertThat(from: start, on: .load, newStateIs: Shop.State(page: 1, isLoading: true))
        Shop.reducer.assertUnhandled(from: start, on: .ignored)
    }

    @Test func aTransitionToAnotherStateIsReportedWithTheDifference() {
        let line = #line
        Shop.reducer.assertThat(
            from: start, on: .load, newStateIs: Shop.State(page: 2, isLoading: true), report: failures.report)
        #expect(
            failures.messages == [
                """
                .load in State(page: 0, isLoading: false, items: [], note: nil): the new state is not the expected \
                one (- expected, + actual)
                - page: 2
                + page: 1
                """
            ])
        #expect(failures.lines == [line + 1])
    }

    @Test func whatBecameOfTheEventInsteadIsReported() {
        Shop.reducer.assertThat(from: start, on: .ignored, newStateIs: start, report: failures.report)
        Shop.reducer.assertThat(from: start, on: .broken, newStateIs: start, report: failures.report)
        Shop.reducer.assertUnhandled(from: start, on: .rate(1), report: failures.report)
        Shop.reducer.assertUnhandled(from: start, on: .broken, report: failures.report)
        let state = "State(page: 0, isLoading: false, items: [], note: nil)"
        #expect(
            failures.messages == [
                ".ignored in \(state): it was not handled",
                ".broken in \(state): the reducer failed: Failure(code: 7)",
                ".rate(1) in \(state): it was handled, with the new state "
                    + #"State(page: 0, isLoading: false, items: [], note: "rating 1")"#,
                ".broken in \(state): the reducer failed: Failure(code: 7)",
            ])
    }
}
