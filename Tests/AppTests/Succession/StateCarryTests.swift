@testable import App
import Diagnostics
import Manifest
import Records
import TestSupport
import Testing

/// How states go over to the loops of a changed manifest.
@Suite(.timeLimit(.minutes(10))) struct StateCarryTests {
    private func manifest(_ text: String) throws -> Manifest {
        let folder = try TemporaryFolder()
        let loaded = App.loadManifest(path: try folder.write("app.toml", text))
        return try #require(loaded.manifest, "\(loaded.diagnostics)")
    }

    /// The states of the loops of `new`, as JSON, or what is in the way.
    private func carried(
        _ old: String, _ new: String, _ change: (inout Record) throws -> Void = { _ in }
    ) throws -> [String] {
        let (old, new) = (try manifest(old), try manifest(new))
        var states = old.loops.map(\.initialState)
        try change(&states[0])
        let carry = StateCarry(from: old, to: new, addressesStayValid: false)
        do { return try carry.states(states).map(\.value.json) } catch {
            return error.diagnostics.map { "\($0.code.rawValue) \($0.message)" }
        }
    }

    @Test func fieldsOfEqualNameAndType_keepTheirValues() throws {
        let carried = try carried(
            "[loops.a]\nstate = { n = 1, text = 'x', list = { type = '[int]' }, gone = 2 }",
            "[loops.b]\nstate = { k = 9 }\n[loops.a]\nstate = { new = 7, list = { type = '[int]' }, text = 'y', n = 0 }"
        ) {
            try $0.set("n", to: .int(5))
            try $0.set("list", to: .list([.int(1), .int(2)]))
        }
        #expect(carried == [#"{"k":9}"#, #"{"new":7,"list":[1,2],"text":"x","n":5}"#])
    }

    @Test func anotherType_andAValueOutsideOfItsRange_areInTheWay() throws {
        let types = try carried(
            "[loops.a]\nstate = { n = 1, t = 'x' }",
            "[loops.a]\nstate = { n = 1.5, t = { type = 'string?' } }")
        #expect(
            types == [
                "P090 loop `a` cannot keep its state: its field `n` was `i64`, and is `f64`",
                "P090 loop `a` cannot keep its state: its field `t` was `string`, and is `string?`",
            ])
        let range = try carried(
            "[loops.a]\nstate = { n = 11 }",
            "[loops.a]\nstate = { n = { type = 'int', initial = 1, range = [0, 10] } }")
        #expect(
            range == [
                "P090 loop `a` cannot keep its state: its field `n` is 11, and its range is 0 to 10"
            ])
    }

    @Test func migrate_givesValuesToFieldsOfAnotherType_andToNewOnes() throws {
        let old = "[loops.a]\nstate = { n = 7, text = '12', same = 1, gone = 'x' }"
        let new = """
            [loops.a]
            state = { n = 0.5, text = 0, same = 2, added = '', list = { type = '[string]' }, wait = { type = 'duration' } }
            [loops.a.migrate]
            n     = "double(before.n) / 2.0"
            text  = "int(before.text)"
            same  = "before.same + 100"
            added = "before.gone + before.text"
            list  = ["a"]
            wait  = "5s"
            """
        let carried = try carried(old, new)
        #expect(carried == [#"{"n":3.5,"text":12,"same":1,"added":"x12","list":["a"],"wait":"5s"}"#])
        // The same manifest can follow itself: nothing is converted again.
        #expect(try self.carried(new, new) { try $0.set("n", to: .double(3.5)) }[0].hasPrefix(#"{"n":3.5,"#))
    }

    @Test func whatMigrateCannotConvert_isInTheWay() throws {
        let refused = try carried(
            "[loops.a]\nstate = { n = 7, text = 'x', more = 1, left = 1 }",
            """
            [loops.a]
            state = { n = 0.5, text = 0, more = 1.5, left = 1.5 }
            [loops.a.migrate]
            n    = "double(before.m)"
            text = "int(before.text)"
            more = "before.more"
            """)
        #expect(
            refused == [
                "P090 loop `a` cannot keep its state: its field `left` was `i64`, and is `f64`",
                "E011 `before` has no field `m`",
                "E035 `x` is not the text of an int",
                "E017 int does not convert to `f64`",
            ])
    }

    @Test func migrate_seesTheCaseThatTheLoopWasIn() throws {
        let door = { (cases: String) in
            "[loops.a]\nshared = { passed = 0 }\ninitial = 'shut'\n[loops.a.states]\n\(cases)"
        }
        let carried = try carried(
            door("shut = {}\nopen = { by = 'nobody' }"),
            door("shut = {}\nopen = { by = 0 }\n[loops.a.migrate]\nby = 'size(before.by) + before.passed'")
        ) {
            $0.changeCase(to: 1)
            try $0.set("by", to: .string("Ann"))
            try $0.set("passed", to: .int(3))
        }
        #expect(carried == [#"{"case":"open","passed":3,"by":6}"#])
    }

    @Test func theCase_isKept_orInTheWay() throws {
        let door = { (cases: String) in
            "[loops.a]\nshared = { passed = 0 }\ninitial = 'shut'\n[loops.a.states]\n\(cases)"
        }
        let old = door("shut = {}\nopen = { by = 'nobody' }")
        func open(_ record: inout Record) throws {
            record.changeCase(to: 1)
            try record.set("by", to: .string("Ann"))
            try record.set("passed", to: .int(3))
        }
        #expect(
            try carried(old, door("open = { since = 1, by = '' }\nshut = {}"), open)
                == [#"{"case":"open","passed":3,"since":1,"by":"Ann"}"#])
        #expect(
            try carried(old, door("shut = {}"), open)
                == ["P090 loop `a` cannot keep its state: it is in the case `open`, which is gone"])
        #expect(try carried(old, door("shut = {}")) == [#"{"case":"shut","passed":0}"#])
    }

    @Test func anAddress_isInTheWay() throws {
        let text = "[loops.a]\nstate = { p = { type = 'pointer' } }"
        #expect(try carried(text, text) == [#"{"p":null}"#])
        #expect(
            try carried(text, text) { try $0.set("p", to: .pointer(16)) } == [
                "P090 loop `a` cannot keep its state: it contains an address, which is not valid in a library that is loaded again"
            ])
    }
}
