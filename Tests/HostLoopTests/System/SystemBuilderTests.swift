import TestSupport
import Testing

@Suite struct SystemBuilderTests {
    private func errors(_ parts: String...) throws -> [String] {
        try TypeCheck.errors(
            in: """
                import HostLoop
                import HostLoopVocabularies
                struct Here: HostLoopVocabularies.State {}
                func make() -> System {
                    System {
                        \(parts.joined(separator: "\n        "))
                    }
                }
                """)
    }

    @Test func theThreePartsInOrderCompile() throws {
        #expect(try errors("InitialState { Here() }", "Feedbacks {}", "Transitions {}").isEmpty)
    }

    @Test func anyOtherPartsAreAnsweredWithASentence() throws {
        #expect(
            try errors("Feedbacks {}", "Transitions {}") == [
                "'buildBlock' is unavailable: a system begins with its state: write `InitialState { … }` first"
            ])
        #expect(
            try errors("InitialState { Here() }", "Transitions {}") == [
                "'buildBlock' is unavailable: a system needs `Feedbacks { … }`, which may be empty, between its initial state and its transitions"
            ])
        #expect(
            try errors("InitialState { Here() }", "Feedbacks {}") == [
                "'buildBlock' is unavailable: a system ends with `Transitions { … }`: without them no event does anything"
            ])
        let general =
            "'buildBlock' is unavailable: a system is `InitialState { … }`, `Feedbacks { … }` and `Transitions { … }`, each once and in this order"
        #expect(
            try errors("InitialState { Here() }", "Feedbacks {}", "Feedbacks {}", "Transitions {}") == [
                general
            ])
        #expect(try errors("InitialState { Here() }", "Transitions {}", "Feedbacks {}") == [general])
    }
}
