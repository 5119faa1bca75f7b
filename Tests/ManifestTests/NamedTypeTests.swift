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
            state  = { path = { type = "[place?]" }, last = { type = "place", initial = { at = { x = 1.0 }, colour = "green" } } }
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
        #expect(path?.type.name == "[{ at = { x = \"f64\", y = \"f64\" }, colour = \"red | green\" }?]")
        #expect(last.map { ValueType.list($0.type) } == same.stateType.field("path")?.type)
    }

    /// Each type has twice the fields of the next one.
    private func doubling(_ count: Int) -> String {
        (0..<count).map { "t\($0) = { a = \"t\($0 + 1)\", b = \"t\($0 + 1)\" }\n" }.joined()
            + "t\(count) = { a = \"int\", b = \"int\" }\n"
    }

    @Test func typesAreLimited_inDepthAndInSize() throws {
        let loop = "[loops.main]\nevents = { go = {} }\non.go = {}\n"
        #expect(try load("\(loop)[types]\n\(doubling(10))").diagnostics.isEmpty)
        for (count, reason) in [
            (14, "the types of the manifest have more than 100000 fields in all"),
            (100, "types nest at most 16 deep"),
        ] {
            let faults = try load("\(loop)[types]\n\(doubling(count))").diagnostics
            #expect(faults.contains { $0.message == reason }, "\(faults.map(\.message))")
        }
    }
}
