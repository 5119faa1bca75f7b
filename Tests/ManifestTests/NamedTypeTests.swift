import Diagnostics
import Manifest
import Records
import TestSupport
import Testing

/// Types with names.
@Suite struct NamedTypeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func load(_ text: String) throws -> Manifest.Loaded {
        Manifest.load(path: try folder.write("app.toml", text), standardPlugin: Fixture.standardPlugin)
    }

    @Test func aName_standsForItsType_whereverATypeStands() throws {
        let loaded = try load(
            """
            [loops.main]
            state  = { path = { type = "[place?]" }, last = { type = "place", initial = { at = { x = 1.0, y = 2.0 }, colour = "green" } } }
            events = { moved = { to = "point" }, drawn = { all = ["place"] } }
            on     = { moved = { set = { "last" = "{'at': event.to, 'colour': 'red'}" } }, drawn = { set = { path = "event.all" } } }
            [types]
            place  = { at = "point", colour = "colour" }
            colour = "red | green"
            [types.point]
            x = "f64"
            y = "f64"
            """)
        #expect(loaded.diagnostics.isEmpty, "\(loaded.diagnostics.map(\.message))")
        let loop = try #require(loaded.manifest?.loops.first)
        let written = try load(
            """
            [loops.main]
            state = { path = { type = [{ at = { x = "f64", y = "f64" }, colour = "red | green" }] } }
            events = { moved = { to = { x = "f64", y = "f64" } } }
            on.moved = {}
            """)
        let same = try #require(written.manifest?.loops.first)
        #expect(loop.events[0].type == same.events[0].type)
        let (path, last) = (loop.stateType.field("path"), loop.stateType.field("last"))
        #expect(last != nil && path?.type == last.map { .list(.optional($0.type)) })
        #expect(last.map { ValueType.list($0.type) } == same.stateType.field("path")?.type)
    }

    @Test func aStructOfALibrary_takesValuesOfANamedType() throws {
        let loaded = try load(
            """
            [types]
            pair = { quot = "i32", rem = "i32" }
            [plugins.libc]
            library  = "libc.so.6"
            declares = "typedef struct { int quot; int rem; } div_t; div_t div(int a, int b);"
            [loops.main]
            state   = { last = { type = "pair" } }
            events  = { divided = { pair = "pair" } }
            on      = { divided = { set = { last = "event.pair" } } }
            [loops.main.feedback.divide]
            effect = "libc:div"
            args   = [7, 2]
            emit   = { event = "divided", pair = "result" }
            """)
        #expect(loaded.diagnostics.isEmpty, "\(loaded.diagnostics.map(\.message))")
    }

    @Test func namesThatUseEachOther_areLimited_inAnyOrder() throws {
        let loop = "[loops.main]\nevents = { go = {} }\non.go = {}\n[types]\n"
        for (count, isAllowed) in [(90, true), (200, false)] {
            let types = (0..<count).map { "a\($0) = \"a\($0 + 1)\"\n" } + ["a\(count) = \"int\"\n"]
            for text in [types.joined(), types.reversed().joined()] {
                let faults = try load(loop + text).diagnostics
                #expect(faults.isEmpty == isAllowed)
                #expect(
                    isAllowed
                        || faults.allSatisfy { $0.message.hasPrefix("more than 100 names stand between") })
            }
        }
    }

    @Test func theNameOfAType_asAValue_isATextWithAWarning() throws {
        let loaded = try load(
            "types.point = { x = 'f64' }\n[loops.main]\nstate = { at = 'point' }\nevents = {}\n")
        #expect(loaded.diagnostics.map(\.code.rawValue) == ["M019"])
    }

    /// Each type has twice the fields of the next one.
    private func doubling(_ count: Int) -> String {
        (0..<count).map { "t\($0) = { a = \"t\($0 + 1)\", b = \"t\($0 + 1)\" }\n" }.joined()
            + "t\(count) = { a = \"int\", b = \"int\" }\n"
    }

    @Test func typesAreLimited_inDepthAndInSize() throws {
        let loop = "[loops.main]\nevents = { go = {} }\non.go = {}\n"
        #expect(try load("\(loop)[types]\n\(doubling(10))").diagnostics.isEmpty)
        let chain = (0..<60).map { "t\($0) = [\"t\($0 + 1)\"]\n" }.joined() + "t60 = \"int\"\n"
        for (types, reason) in [
            (doubling(14), "the types of the manifest have more than 100000 fields in all"),
            (chain, "types nest at most 16 deep"),
        ] {
            let faults = try load("\(loop)[types]\n\(types)").diagnostics
            #expect(faults.contains { $0.message == reason }, "\(faults.map(\.message))")
        }
    }
}
