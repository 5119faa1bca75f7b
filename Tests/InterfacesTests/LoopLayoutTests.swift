import Interfaces
import Records
import TestSupport
import Testing

/// What a plugin says about the structs that it was compiled with.
struct LoopLayoutTests {
    private static func layout(
        _ state: [(String, ValueType)], _ events: [(String, [(String, ValueType)])] = []
    ) -> LoopLayout {
        LoopLayout(
            loop: "levels", state: RecordType(state.map { (name: $0.0, type: $0.1) }),
            events: events.map {
                .init(name: $0.0, type: RecordType($0.1.map { (name: $0.0, type: $0.1) }))
            })
    }

    private static func plugin(_ layout: LoopLayout) throws -> PluginDescription {
        try PluginDescription(notes: [
            PluginNote(.plugin, ["2.0", "levels", "1.0.0"]),
            PluginNote(.loop, [layout.loop] + layout.noteTexts),
        ])
    }

    private static let point = ValueType.record(RecordType([("x", .double), ("y", .float)]))

    private static let everything = layout(
        [
            ("a", .bool), ("b", .integer(.i8)), ("c", .integer(.u64)), ("d", .float), ("e", .double),
            ("f", .string), ("g", .bytes), ("h", .duration), ("i", .timestamp), ("j", .pointer),
            ("k", .enumeration(EnumerationType(members: ["low", "high"]))), ("l", point),
            ("m", .list(.list(point))), ("n", .optional(.list(.optional(.string)))), ("o", .optional(point)),
            ("p", .record(RecordType([]))),
        ], [("tick", []), ("moved", [("to", point)]), ("ended", [])])

    @Test func note_saysEveryType_andIsReadAgain() throws {
        #expect(try Self.plugin(Self.everything).loops == [Self.everything])
        #expect(Self.everything.noteTexts.count == 7)
        #expect(
            Self.layout([("left", .integer(.i64)), ("at", Self.point), ("tags", .list(.string))]).noteTexts
                == [
                    "left i64 0 8\nat {} 8 16\n.x f64 0 8\n.y f32 8 4\ntags [] 24 16\n.* string 0 16\n"
                ])
    }

    @Test func structOfAnyEvent_isATagAndAUnion() {
        #expect((Self.everything.payloadOffset, Self.everything.eventSize) == (8, 24))
        let small = Self.layout([], [("a", [("b", .bool)]), ("c", [("d", .integer(.i16)), ("e", .bool)])])
        #expect((small.payloadOffset, small.eventSize) == (4, 8))
        #expect(Self.layout([], [("a", [])]).eventSize == 4)
        #expect(Self.layout([]).eventSize == 4)
    }

    private static func player(
        _ shared: [(String, ValueType)], _ cases: [(String, [(String, ValueType)])]
    ) -> LoopLayout {
        LoopLayout(
            loop: "player",
            state: RecordType(
                cases: cases.map { ($0.0, $0.1.map { (name: $0.0, type: $0.1) }) },
                shared: shared.map { (name: $0.0, type: $0.1) }), events: [])
    }

    @Test func stateWithCases_isATagSharedFieldsAndCases() throws {
        let layout = Self.player(
            [("loud", .bool)], [("off", []), ("on", [("title", .string), ("at", Self.point)])])
        #expect(
            layout.noteTexts == [
                "case off|on 0 4\nloud bool 4 1\n@off {} 8 1\n@on {} 8 32\n.title string 0 16\n.at {} 16 16\n..x f64 0 8\n..y f32 8 4\n"
            ])
        #expect(try Self.plugin(layout).loops == [layout])
        let single = Self.player([], [("only", [])])
        #expect(try Self.plugin(single).loops == [single])
        let changes = [
            (
                Self.player(
                    [("loud", .bool)], [("off", []), ("on", [("title", .bytes), ("at", Self.point)])]),
                "`player_state.on.title`: expected `bytes` at byte 0, found `string` at byte 0"
            ),
            (
                Self.player(
                    [("loud", .bool)], [("off", []), ("on", [("at", Self.point), ("title", .string)])]),
                "`player_state.on.at`: expected `{ x = \"f64\", y = \"f32\" }` at byte 0, found `{ x = \"f64\", y = \"f32\" }` at byte 16"
            ),
            (
                Self.player([("loud", .bool)], [("on", []), ("off", [])]),
                "`player_state.case`: expected `on | off` at byte 0, found `off | on` at byte 0"
            ),
            (
                Self.player([], [("off", []), ("on", [("title", .string), ("at", Self.point)])]),
                "`player_state.loud`: expected no such field, found `bool` at byte 4"
            ),
        ]
        for (changed, difference) in changes {
            #expect(changed.firstDifference(in: layout) == difference)
        }
    }

    @Test(arguments: [
        "@on {} 0 1", "case on 0 4\n@on {} 4 1", "case on| 0 4\n@on {} 8 1", "case on| 0 4\n@off {} 4 1",
        "case on| 0 4\n@on {} 4 1\n@on {} 4 1", "case on| 0 4\n@on i64 8 8", "case on| 0 4\n@on {} 4 2",
        "case on|off 0 4\n@on {} 4 1", "case on| 0 4\n@on {} 4 4\n.case i32 0 4",
        "loud bool 0 1\ncase on| 4 4\n@on {} 8 1",
        "case on| 0 4\n@on {} 4 1\nloud bool 5 1", "case on| 0 4\na {} 4 1\n.@on {} 5 1",
    ])
    func casesThatCannotBeRead_areRefused(_ text: String) {
        #expect(throws: InterfaceError.self) {
            try PluginDescription(notes: [
                PluginNote(.plugin, ["2.0", "levels", "1.0.0"]), PluginNote(.loop, ["levels", text]),
            ])
        }
    }

    private static let old: [(String, ValueType)] = [
        ("left", .integer(.i64)), ("at", point),
        ("mode", .enumeration(EnumerationType(members: ["a", "b"]))),
    ]
    private static let oldEvents: [(String, [(String, ValueType)])] = [
        ("moved", [("to", .integer(.i64))]), ("ended", []),
    ]

    private static let changes: [(LoopLayout, String)] = [
        (
            layout([("left", .integer(.i32)), old[1], old[2]], oldEvents),
            "`levels_state.left`: expected `i32` at byte 0, found `i64` at byte 0"
        ),
        (
            layout([old[0], ("right", .bool), old[1], old[2]], oldEvents),
            "`levels_state.right`: expected `bool` at byte 8, found no such field"
        ),
        (
            layout([old[1], old[2]], oldEvents),
            "`levels_state.left`: expected no such field, found `i64` at byte 0"
        ),
        (
            layout([old[0], old[1]], oldEvents),
            "`levels_state.mode`: expected no such field, found `a | b` at byte 24"
        ),
        (
            layout([old[0], old[2], old[1]], oldEvents),
            "`levels_state.mode`: expected `a | b` at byte 8, found `a | b` at byte 24"
        ),
        (
            layout(
                [old[0], ("at", .record(RecordType([("x", .double), ("y", .double)]))), old[2]], oldEvents),
            "`levels_state.at.y`: expected `f64` at byte 8, found `f32` at byte 8"
        ),
        (
            layout(
                [old[0], old[1], ("mode", .enumeration(EnumerationType(members: ["a", "b", "c"])))],
                oldEvents),
            "`levels_state.mode`: expected `a | b | c` at byte 24, found `a | b` at byte 24"
        ),
        (
            layout(old, [("moved", [("to", .double)]), oldEvents[1]]),
            "`levels_event_moved.to`: expected `f64` at byte 0, found `i64` at byte 0"
        ),
        (
            layout(old, oldEvents + [("begun", [])]),
            "`levels_event_begun`: expected this event, found no event"
        ),
        (layout(old, [oldEvents[0]]), "`levels_event_ended`: expected no event, found this one"),
        (
            layout(old, [oldEvents[1], oldEvents[0]]),
            "event 1 of `levels`: expected `ended`, found `moved`"
        ),
    ]

    @Test(arguments: changes)
    func difference_isTheFirst_withWhatWasExpectedAndFound(_ layout: LoopLayout, _ difference: String) throws
    {
        let plugin = try Self.plugin(Self.layout(Self.old, Self.oldEvents))
        let error = #expect(throws: InterfaceError.self) { try plugin.check(layout) }
        #expect(error?.code == .layoutMismatch)
        #expect(error?.message == "plugin `levels` was compiled with another header: \(difference)")
        #expect(error?.help == ["run `spinhost header` and rebuild the plugin"])
    }

    @Test func sameLayout_andLayoutOfAnotherLoop_areAccepted() throws {
        let plugin = try Self.plugin(Self.layout(Self.old, Self.oldEvents))
        try plugin.check(Self.layout(Self.old, Self.oldEvents))
        try plugin.check(LoopLayout(loop: "other", state: RecordType([]), events: []))
        #expect(plugin.knows(loop: "levels"))
        #expect(!plugin.knows(loop: "other"))
    }

    @Test func filesCompiledWithDifferentHeaders_areAllChecked() throws {
        let layouts = [Self.layout(Self.old), Self.layout([Self.old[0]])]
        let plugin = try PluginDescription(
            notes: [PluginNote(.plugin, ["2.0", "levels", "1.0.0"])]
                + layouts.map { PluginNote(.loop, ["levels"] + $0.noteTexts) }
                + layouts.map { PluginNote(.loop, ["levels"] + $0.noteTexts) })
        #expect(plugin.loops == layouts)
        for layout in layouts { #expect(throws: InterfaceError.self) { try plugin.check(layout) } }
    }

    @Test(arguments: [
        "left", "left i64", "left i64 0", "left i64 0 8 9", "left i64 x 8", "left i65 0 8", "left i64 4 8",
        "left i64 0 4", "left i64 0 8\nleft i64 8 8", ".left i64 0 8", "at [] 0 16", "at [] 0 16\n.x i64 0 8",
        "at ? 0 16\n..* i64 0 8", "at {} 0 8\n..x i64 0 8", "mode a|a 0 4", "mode a|| 0 4", "mode | 0 4",
        ". i64 0 8",
        "a {} -1 -1",
    ])
    func noteThatCannotBeRead_isRefused(_ text: String) {
        let error = #expect(throws: InterfaceError.self) {
            try PluginDescription(notes: [
                PluginNote(.plugin, ["2.0", "levels", "1.0.0"]), PluginNote(.loop, ["levels", text]),
            ])
        }
        #expect(
            error?.message
                == "plugin `levels` was compiled with a header for loop `levels` that this host cannot read")
    }

    @Test func noise_neverCrashes() {
        var random = SeededGenerator(seed: 4)
        let alphabet = Array(". {}[]?|*@0123456789-\nabi64f string".unicodeScalars)
        for _ in 0..<2000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0..<60, using: &random) {
                text.append(alphabet.randomElement(using: &random)!)
            }
            _ = try? PluginDescription(notes: [
                PluginNote(.plugin, ["2.0", "levels", "1.0.0"]), PluginNote(.loop, ["levels", String(text)]),
            ])
        }
        let deep = (0..<40).map { String(repeating: ".", count: $0) + "a {} 0 1\n" }.joined()
        #expect(throws: InterfaceError.self) {
            try PluginDescription(notes: [
                PluginNote(.plugin, ["2.0", "levels", "1.0.0"]), PluginNote(.loop, ["levels", deep]),
            ])
        }
    }

    @Test func effect_mayTakeTheLoopsRecords_byPointerToConst() throws {
        let loop = Self.layout(Self.old, Self.oldEvents)
        func plugin(_ prototype: String) throws -> PluginDescription {
            try PluginDescription(notes: [
                PluginNote(.plugin, ["2.0", "levels", "1.0.0"]),
                PluginNote(.loop, ["levels"] + loop.noteTexts),
                PluginNote(.effect, ["show", prototype]),
            ])
        }
        let effect = try #require(
            try plugin("void show(const levels_state *state, const levels_event_moved *event)").effect("show")
        )
        let signature = try CallSignature(effect.function, arguments: [.input, .input])
        #expect(signature.inputs.fields.map(\.type) == [.record(loop.state), .record(loop.events[0].type)])
        #expect(
            signature.parameters.map(\.passing) == [.recordPointer(field: 0), .recordPointer(field: 1)])
        let writes = try #require(try plugin("void show(levels_state *state)").effect("show"))
        let error = #expect(throws: InterfaceError.self) {
            try CallSignature(writes.function, arguments: [.input])
        }
        #expect(error?.code == .argumentDirection)
        #expect(throws: InterfaceError.self) { try plugin("void show(const other_state *state)") }
    }

    @Test func reducer_isDescribed_andDeclaredOnce() throws {
        let identity = PluginNote(.plugin, ["2.0", "levels", "1.0.0"])
        let reducer = PluginNote(.reducer, ["reduce", "levels_state", "levels_event", "Moves."])
        let plugin = try PluginDescription(notes: [identity, reducer])
        #expect(
            plugin.reducer("reduce")
                == ReducerDescription(
                    name: "reduce", stateType: "levels_state", eventType: "levels_event", doc: "Moves."))
        #expect(plugin.reducer("other") == nil)
        let error = #expect(throws: InterfaceError.self) {
            try PluginDescription(notes: [identity, reducer, reducer])
        }
        #expect(error?.message == "plugin `levels` declares reducer `reduce` twice")
    }
}
