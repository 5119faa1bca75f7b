import Testing

@Suite(.timeLimit(.minutes(10))) struct StateMachineTests {
    private static let speaker = """
        [loops.speaker]
        initial = "playing"
        shared  = { device = "a device with a name too long for a small string" }
        events  = { mute = { reason = "string" }, up = { by = "int" }, again = {}, off = {}, rename = { to = "string" } }
        states  = { playing = { track = "first", level = { type = "i32", initial = 30, range = [0, 100] } }, \\
                    muted = { reason = "", level = { type = "i32", initial = 5 }, track = 7 }, off = {} }
        [loops.speaker.on]
        mute   = { from = "playing", to = "muted", set = { reason = "event.reason + state.track" } }
        up     = { from = ["playing", "muted"], set = { level = "state.level + event.by" } }
        again  = [{ from = "playing", to = "playing", set = { level = "state.level * 2" } }, { from = "off", ignore = true }, { to = "playing" }]
        rename = { set = { device = "event.to + state.case" } }
        "*"    = [{ from = "off" }, { to = "off" }]

        """.replacing("\\\n", with: "")

    @Test func fieldsOfEqualNameAndTypeCarryOver_othersTakeTheirInitialValue() throws {
        let machine = try Machine(Self.speaker)
        #expect(try machine.send("up", #"{"by":12}"#) == [Self.playing("up", 42)])
        // `track` has another type there; `reason` is computed from the old state.
        #expect(
            try machine.send("mute", #"{"reason":"late "}"#) == [
                #"mute {"case":"muted","device":"a device with a name too long for a small string","#
                    + #""reason":"late first","level":42,"track":7}"#
            ])
        #expect(try machine.send("again") == [Self.playing("again", 42)])
    }

    @Test func oneEntryForSeveralCases_readsAndSetsTheFieldWhereItLies() throws {
        let machine = try Machine(Self.speaker)
        try machine.send("mute", #"{"reason":""}"#)
        #expect(
            try machine.send("up", #"{"by":1}"#) == [
                #"up {"case":"muted","device":"a device with a name too long for a small string","#
                    + #""reason":"first","level":31,"track":7}"#
            ])
    }

    @Test func sameCase_isEnteredAgain_withItsFieldsKept() throws {
        let machine = try Machine(Self.speaker)
        #expect(try machine.send("again") == [Self.playing("again", 60)])
    }

    @Test func exactEntriesComeBeforeTheGeneralOne_whichTakesWhatTheyLeave() throws {
        let machine = try Machine(Self.speaker)
        #expect(try machine.send("off") == [Self.off("off")])
        // Declared for it, and falling through to `"*"`, which keeps the state.
        #expect(try machine.send("mute", #"{"reason":""}"#) == [Self.off("mute")])
        // Ignored on purpose.
        #expect(try machine.send("again") == ["again -"])
        #expect(
            try machine.send("rename", #"{"to":"x "}"#) == [#"rename {"case":"off","device":"x off"}"#])
    }

    @Test func outOfRange_isAFault_andTheStateIsUnchanged() throws {
        let machine = try Machine(Self.speaker)
        let fault = "up ! `level` would be `101`, which is out of its range"
        #expect(try machine.send("up", #"{"by":71}"#) == [fault])
        #expect(try machine.send("up", #"{"by":70}"#) == [Self.playing("up", 100)])
        // In the other case the same field has no range, and there is none to keep to until it is left.
        try machine.send("mute", #"{"reason":""}"#)
        try machine.send("up", #"{"by":900}"#)
        let before = machine.state
        #expect(try machine.send("again") == ["again ! `level` would be `1000`, which is out of its range"])
        #expect(machine.state == before)
    }

    @Test func range_holdsForPlainStates_ofEveryKind() throws {
        let machine = try Machine(
            """
            [loops.main]
            events = { go = { n = "int", x = "double", d = "duration" } }
            [loops.main.state]
            n = { type = "u8", range = [0, 9] }
            x = { type = "f32?", range = [-1.0, 1] }
            d = { type = "duration", initial = "1s", range = ["1s", "1m"] }
            u = { type = "u64", range = [0, "18446744073709551615"] }
            [loops.main.on]
            go = { set = { n = "event.n", x = "event.x", d = "event.d" } }
            """)
        func go(_ n: Int, _ x: String, _ d: String) throws -> [String] {
            try machine.send("go", #"{"n":\#(n),"x":\#(x),"d":"\#(d)"}"#)
        }
        #expect(try go(9, "1.0", "60s") == [#"go {"n":9,"x":1.0,"d":"60s","u":0}"#])
        #expect(try go(10, "1.0", "60s") == ["go ! `n` would be `10`, which is out of its range"])
        #expect(try go(9, "1.5", "60s") == ["go ! `x` would be `1.5`, which is out of its range"])
        #expect(try go(9, "\"NaN\"", "60s") == ["go ! `x` would be `NaN`, which is out of its range"])
        #expect(try go(9, "1.0", "0.5s") == ["go ! `d` would be `0.5s`, which is out of its range"])
        #expect(machine.state == #"{"n":9,"x":1.0,"d":"60s","u":0}"#)
    }

    @Test func failingExpression_leavesTheCase() throws {
        let machine = try Machine(
            """
            [loops.main]
            states  = { a = { text = "kept" }, b = { n = 0 } }
            initial = "a"
            events  = { go = { n = "int" } }
            on      = { go = { to = "b", set = { n = "10 / event.n" } } }
            """)
        #expect(try machine.send("go", #"{"n":0}"#) == ["go ! `10 / 0` divides by zero"])
        #expect(machine.state == #"{"case":"a","text":"kept"}"#)
        #expect(try machine.send("go", #"{"n":5}"#) == [#"go {"case":"b","n":2}"#])
    }

    private static func playing(_ event: String, _ level: Int) -> String {
        #"\#(event) {"case":"playing","device":"a device with a name too long for a small string","#
            + #""track":"first","level":\#(level)}"#
    }

    private static func off(_ event: String) -> String {
        #"\#(event) {"case":"off","device":"a device with a name too long for a small string"}"#
    }
}
