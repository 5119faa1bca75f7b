import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import TestSupport
import Testing

@Suite struct SpinBuilderTests {
    private let feedback = "Feedback(effect: { (state: Int) -> Int? in state > 3 ? nil : 1 })"
    private let reducer = "Reducer { (state: Int, event: Int) in state + event }"

    private func errors(_ parts: String...) throws -> [String] {
        try TypeCheck.errors(
            in: """
                import HostLoop
                import HostLoopVocabularies
                func make(_ condition: Bool) -> Spin<Int, Int> {
                    Spin(initialState: 0) {
                        \(parts.joined(separator: "\n        "))
                    }
                }
                """)
    }

    @Test func feedbacksAndThenAReducerCompile() throws {
        #expect(try errors(feedback, reducer).isEmpty)
        #expect(try errors(reducer).isEmpty)
        #expect(try errors(feedback, feedback, feedback, feedback, feedback, feedback, reducer).isEmpty)
    }

    @Test func anyOtherPartsAreAnsweredWithASentence() throws {
        let end =
            "'buildFinalResult' is unavailable: a spin ends with its reducer: write `Reducer(…)` after the feedbacks"
        #expect(try errors(feedback) == [end])
        #expect(try errors() == [end])
        #expect(
            try errors(feedback, reducer, reducer) == [
                "'buildPartialBlock(accumulated:next:)' is unavailable: a spin has one reducer: make one of several with `Reducer.combine(…)`"
            ])
        #expect(
            try errors(feedback, reducer, feedback) == [
                "'buildPartialBlock(accumulated:next:)' is unavailable: the reducer of a spin comes last: write the feedbacks before it"
            ])
        let condition =
            "is unavailable: the reducer of a spin cannot depend on a condition: write the condition into the reducer"
        #expect(
            try errors(feedback, "if condition { \(reducer) }") == ["'buildOptional' \(condition)"])
        #expect(
            try errors(feedback, "if condition { \(reducer) } else { \(reducer) }") == [
                "'buildEither(first:)' \(condition)", "'buildEither(second:)' \(condition)",
            ])
        #expect(
            try errors(feedback, "for _ in 0..<2 { \(reducer) }") == [
                "'buildArray' is unavailable: a spin has one reducer: make one of several with `Reducer.combine(…)`"
            ])
    }

    @Test func aSpinnerHasNoReducerBeforeItHasAFeedback() throws {
        #expect(
            try TypeCheck.errors(
                in: """
                    import HostLoop
                    import HostLoopVocabularies
                    let spin = Spinner.initialState(0).reducer(\(reducer))
                    """) == ["value of type 'Spinner<Int>' has no member 'reducer'"])
    }

    @Test(arguments: [true, false])
    func conditionsAndLoopsStandAmongFeedbacks(condition: Bool) {
        let names = Box<[String]>([])
        @Sendable func named(_ name: String) -> Feedback<Int, Int> {
            Feedback(render: { _ in names.change { $0.append(name) } })
        }
        let loop = Spin(initialState: 0, executeOn: .caller) {
            if condition { named("if") }
            if condition {
                named("first")
            } else {
                named("second")
                named("third")
            }
            for index in 0..<2 { named("for \(index)") }
            [named("a"), named("b")]
            if condition {}
            Reducer { (state: Int, event: Int) in state + event }
        }.start()
        #expect(
            names.value == (condition ? ["if", "first"] : ["second", "third"]) + [
                "for 0", "for 1", "a", "b",
            ])
        loop.stop()
    }

    @Test func eachStepOfASpinnerIsAValue() {
        let begun = Spinner.initialState(0, executeOn: .caller, until: { $0 > 1 })
            .feedback(Feedback(effect: { (_: Int) -> Int? in 1 }))
        let more = begun.feedback(Feedback(effect: { _ in 10 }))
        #expect(begun.reducer(Reducer { $0 + $1 }).start().state == 2)
        #expect(more.reducer(Reducer { max($0, $1) }).start().state == 10)
    }
}
