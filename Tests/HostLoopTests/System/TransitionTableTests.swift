import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import Testing

private enum Namespace {
    struct Loading: HostLoopVocabularies.State {}
}

@Suite struct TransitionTableTests {
    private let transitions = Transitions {
        From(Idle.self) { state in
            On(Refresh.self, transitionTo: Loading(page: state.count))
            After(.seconds(30), transitionTo: Failed())
        }
        From(Loading.self) { state in
            On(DataIsLoaded.self, transitionTo: Loaded(page: state.page))
        }
        From(Failed.self) {
            On(Refresh.self, transitionTo: Loading()).disable { false }
        }
        From(AnyState.self) { _ in
            On(Cancel.self, transitionTo: Idle())
        }
    }

    private func names(_ types: [any HostLoopVocabularies.State.Type]) -> [String] { types.map { "\($0)" } }

    @Test func theTableHoldsWhatIsKnownAndNamesWhatIsNot() {
        let table = transitions.table
        #expect(
            table.transitions.map(\.description) == [
                "Idle to Loading on Refresh", "Idle to Failed after 30.0 seconds",
                "Failed to Loading on Refresh, unless disabled", "AnyState to Idle on Cancel",
            ])
        #expect(names(table.unknownSources) == ["Loading"])
        #expect(names(table.states) == ["Idle", "Failed", "Loading"])
    }

    @Test func theTableHoldsOnlyTheTransitionThatWins() {
        let table = Transitions {
            From(Failed.self) {
                On(Refresh.self, transitionTo: Idle())
                On(Refresh.self, transitionTo: Loading())
            }
            From(Failed.self) {
                On(Refresh.self, transitionTo: Loaded())
            }
        }.table
        #expect(table.transitions.map(\.description) == ["Failed to Loading on Refresh"])
    }

    @Test func descriptionIsTheTriplesOfTheOriginal() {
        let triples = transitions.description.map { [$0.0, $0.1, $0.2] }
        #expect(
            triples == [
                ["Idle", "Loading", "Refresh"], ["Idle", "Failed", "after 30.0 seconds"],
                ["Failed", "Loading", "Refresh"], ["AnyState", "Idle", "Cancel"],
            ])
    }

    @Test func coverageTellsWhatNothingHandlesAndWhatCannotBeKnown() {
        let coverage = transitions.table.coverage(
            states: [Idle.self, Loading.self, Failed.self, Loaded.self], events: [Refresh.self, Cancel.self])
        #expect(coverage.unhandled.map(\.description) == ["Loaded on Refresh"])
        #expect(coverage.undecided.map(\.description) == ["Loading on Refresh", "Failed on Refresh"])
        #expect(!coverage.isComplete)
        #expect(
            transitions.table.coverage(states: [Idle.self], events: [Refresh.self, Cancel.self]).isComplete)
    }

    @Test func reachabilityFollowsKnownTransitionsAndSaysWhereMoreMayFollow() {
        let reachability = transitions.table.reachability(from: Idle.self)
        #expect(names(reachability.reachable) == ["Idle", "Loading", "Failed"])
        #expect(reachability.unreachable.isEmpty)
        #expect(names(reachability.unknownSources) == ["Loading"])
    }

    @Test func statesThatNothingLeadsToAreFoundWithTheirTransitions() {
        let table = Transitions {
            From(Loading.self) { On(LoadingHasFailed.self, transitionTo: Failed()) }
            From(Loaded.self) { On(Refresh.self, transitionTo: Loading()) }
        }.table
        let reachability = table.reachability(from: Loading.self)
        #expect(names(reachability.unreachable) == ["Loaded"])
        #expect(reachability.idle.map(\.description) == ["Loaded to Loading on Refresh"])
        #expect(reachability.unknownSources.isEmpty)
    }

    @Test func aMermaidDiagramShowsStatesEventsDelaysConditionsAndNotes() {
        #expect(
            transitions.diagram(as: .mermaid, initialState: Idle.self) == """
                stateDiagram-v2
                    state "Idle" as n0
                    state "Failed" as n1
                    state "Loading" as n2
                    state "AnyState" as n3
                    [*] --> n0
                    n0 --> n2 : Refresh
                    n0 --> n1 : after 30.0 seconds
                    n1 --> n2 : Refresh, unless disabled
                    n3 --> n0 : Cancel
                    note right of n2 : more transitions depend on the state

                """)
    }

    @Test func aDotDiagramShowsTheSame() {
        #expect(
            transitions.diagram(as: .dot, initialState: Idle.self) == """
                digraph {
                    rankdir=LR;
                    node [shape=box];
                    n0 [label="Idle", style=rounded];
                    n1 [label="Failed", style=rounded];
                    n2 [label="Loading", style=rounded];
                    n3 [label="AnyState", style=rounded];
                    start [shape=point];
                    start -> n0;
                    n0 -> n2 [label="Refresh"];
                    n0 -> n1 [label="after 30.0 seconds"];
                    n1 -> n2 [label="Refresh, unless disabled"];
                    n3 -> n0 [label="Cancel"];
                    note2 [label="more transitions depend on the state", shape=note];
                    note2 -> n2 [style=dashed, arrowhead=none];
                }

                """)
    }

    @Test func aDiagramNeedsNoInitialStateAndDrawsOneThatNothingMentions() {
        let table = Transitions { From(Failed.self) { On(Refresh.self, transitionTo: Failed()) } }.table
        #expect(!table.diagram(as: .mermaid).contains("[*]"))
        #expect(table.diagram(as: .mermaid, initialState: Idle.self).contains("state \"Idle\" as n0\n"))
    }

    struct Pair<First: Sendable, Second: Sendable>: HostLoopVocabularies.State {}
    struct `a"quoted"<name>`: HostLoopVocabularies.State {}

    @Test func oddNamesAreQuoted() {
        let table = Transitions {
            From(Pair<Int, String>.self) { On(Refresh.self, transitionTo: `a"quoted"<name>`()) }
        }.table
        let mermaid = table.diagram(as: .mermaid)
        #expect(mermaid.contains(#"state "Pair#60;Int, String#62;" as n0"#))
        #expect(mermaid.contains(##"state "#96;a#34;quoted#34;#60;name#62;#96;" as n1"##))
        #expect(table.diagram(as: .dot).contains(#"n1 [label="`a\"quoted\"<name>`", style=rounded];"#))
    }

    @Test func typesThatShareANameAreDistinguished() {
        let mermaid = Transitions {
            From(Loading.self) { On(Refresh.self, transitionTo: Namespace.Loading()) }
        }.diagram(as: .mermaid)
        #expect(mermaid.contains(#"state "HostLoopTests.Loading" as n0"#))
        #expect(mermaid.contains(#"state "HostLoopTests.Namespace.Loading" as n1"#))
    }
}
