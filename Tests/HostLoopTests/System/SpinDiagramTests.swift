import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import Testing

@Suite struct SpinDiagramTests {
    private let spin = Spin<Int, Int>(
        initialState: 0, reducer: Counting.reducer,
        feedbacks: [
            .onState("load \"all\"", strategy: .cancelOnNewState, effect: { _ in nil }),
            .onState(strategy: .continueOnNewState, effect: { _ in nil }).execute(on: .serial("disk")),
            .onEvent("audit", effect: { _, _ in nil }),
            .onChange("search", request: { $0 }, effect: { _ in nil }).onEventEmitted { _ in },
            .onEach("downloads", requests: { Set([$0]) }, effect: { _ in nil }),
            .always("view", effect: { _, _ in }),
        ])

    @Test func aMermaidDiagramOfALoopNamesFeedbacksWithTriggersAndStrategies() {
        #expect(
            spin.diagram(as: .mermaid) == """
                flowchart LR
                    n0(["Int"])
                    n1["reducer"]
                    n2["load #34;all#34;"]
                    n3["feedback 2 on disk"]
                    n4["audit"]
                    n5["search"]
                    n6["downloads"]
                    n7["view"]
                    n1 --> n0
                    n0 -->|"onState, cancelOnNewState"| n2
                    n2 -->|"Int"| n1
                    n0 -->|"onState, continueOnNewState"| n3
                    n3 -->|"Int"| n1
                    n0 -->|"onEvent, queue"| n4
                    n4 -->|"Int"| n1
                    n0 -->|"onChange"| n5
                    n5 -->|"Int"| n1
                    n0 -->|"onEach"| n6
                    n6 -->|"Int"| n1
                    n0 -->|"always"| n7
                    n7 -->|"Int"| n1

                """)
    }

    @Test func aDotDiagramOfALoopShowsTheSame() {
        let dot = Spin<Int, Int>(
            initialState: 0, reducer: Counting.reducer,
            feedbacks: [.onState("load \"all\"\\", strategy: .queue, effect: { _ in nil })]
        ).diagram(as: .dot)
        #expect(
            dot == #"""
                digraph {
                    rankdir=LR;
                    node [shape=box];
                    n0 [label="Int", style=rounded];
                    n1 [label="reducer"];
                    n2 [label="load \"all\"\\"];
                    n1 -> n0;
                    n0 -> n2 [label="onState, queue"];
                    n2 -> n1 [label="Int"];
                }

                """#)
    }

    @Test func everyStrategyHasItsName() {
        for strategy in Strategy.allCases {
            let spin = Spin<Int, Int>(
                initialState: 0, reducer: Counting.reducer,
                feedbacks: [.onState(strategy: strategy, effect: { _ in nil })])
            #expect(spin.diagram(as: .dot).contains("[label=\"onState, \(strategy)\"]"))
            let events = Spin<Int, Int>(
                initialState: 0, reducer: Counting.reducer,
                feedbacks: [.onEvent(strategy: strategy, effect: { _, _ in nil })])
            #expect(events.diagram(as: .dot).contains("[label=\"onEvent, \(strategy)\"]"))
        }
    }
}
