import Diagnostics
import Manifest
import Records
import Testing

struct StatesModelTests {
    private func speaker(overrides: [String] = []) throws -> LoopModel {
        let loaded = try Fixture.shared.get().load("good-states", overrides: overrides)
        #expect(loaded.diagnostics.isEmpty, "\(loaded.diagnostics.map(\.message))")
        return try #require(loaded.manifest).loops[0]
    }

    @Test func everyCase_hasAnInitialState() throws {
        let loop = try speaker()
        #expect(loop.stateType.cases.map(\.name) == ["playing", "muted", "off"])
        #expect(
            loop.initialStates.map(\.value.json) == [
                #"{"case":"playing","device":"main","changes":0,"level":30}"#,
                #"{"case":"muted","device":"main","changes":0,"level":0,"reason":""}"#,
                #"{"case":"off","device":"main","changes":0}"#,
            ])
        #expect(loop.initialState == loop.initialStates[0])
        #expect(loop.isExhaustive)
        #expect(loop.ranges.map(\.stateCase) == [nil, 0, 1])
        #expect(loop.ranges.map(\.text) == ["0 to 200", "0 to 100", "0 to 100"])
    }

    @Test func entryThatNeedsFieldsOfCases_isOneTransitionForEach_anyOtherIsOne() throws {
        let loop = try speaker()
        let up = loop.transitions[1]
        #expect(up.map(\.from) == [[0], [0], [1], [2], [0, 1], nil])
        #expect(up.map(\.to) == [nil, nil, nil, nil, 2, nil])
        // The same field, where it lies in each case.
        #expect(up[1].assignments.map(\.offset) == [loop.stateType.cases[0].field("level")?.offset])
        #expect(up[2].assignments.map(\.offset) == [loop.stateType.cases[1].field("level")?.offset])
        #expect(loop.transitions[0][0].from == nil && loop.transitions[0][0].to == 1)
    }

    @Test func delayedTransitions_areEventsBehindTheDeclaredOnes() throws {
        let loop = try speaker()
        #expect(loop.events.map(\.name) == ["mute", "up", "off", "after:muted", "after:muted", "after:off"])
        #expect(
            loop.events.map(\.delay) == [
                nil, nil, nil, DelayModel(stateCase: 1, duration: .seconds(30)),
                DelayModel(stateCase: 1, duration: .seconds(40)),
                DelayModel(stateCase: 2, duration: .seconds(3600)),
            ])
        #expect(loop.events[4].delay?.event.value.json == #"{"delay":"40s"}"#)
        #expect(loop.transitions[3].map(\.from) == [[1]])
        #expect(try speaker(overrides: ["wait=1m"]).events[4].delay?.duration == .seconds(98))
    }
}
