import Diagnostics
import Manifest
import Records
import TestSupport
import Testing

/// Loops with a key.
struct KeyModelTests {
    private func load(_ text: String) throws -> Manifest.Loaded {
        let folder = try TemporaryFolder()
        return Manifest.loadDeclarations(
            path: try folder.write("app.toml", text), standardPlugin: Fixture.standardPlugin)
    }

    private static let order = """
        [loops.order]
        key     = "string"
        limit   = 7
        keep    = "3s"
        creates = "added"
        state   = { items = 0 }
        events  = { added = { n = "int", note = "string?" }, paid = {} }
        until   = "key == 'x' && state.key == key"
        [loops.order.on]
        added = { set = { items = "state.items + size(key)" } }
        paid  = {}
        [loops.shop]
        state = { open = true }
        [loops.shop.feedback.place]
        send = { loop = "order", key = "'a'", event = "added", n = 1 }

        """

    @Test func theKeyIsAFieldOfTheState_andAllElseIsInTheModel() throws {
        let loaded = try load(Self.order)
        #expect(loaded.diagnostics.isEmpty, "\(loaded.diagnostics.map(\.message))")
        let loop = try #require(loaded.manifest).loops[0]
        let key = try #require(loop.key)
        #expect(key.kind == .string && key.limit == 7 && key.keep == .seconds(3) && key.creates == [0])
        #expect(loop.initialState.value.json == #"{"key":"","items":0}"#)
        var state = loop.initialState
        try state.set("key", to: .string("A17"))
        #expect(loop.key(of: state) == .string("A17"))
        #expect(try #require(loaded.manifest).loops[1].key == nil)
    }

    @Test func theLoopHasAGear_whoseMessagesAreItsEvents() throws {
        let manifest = try #require(try load(Self.order).manifest)
        #expect(manifest.gears.map(\.name) == ["order"] && manifest.gears[0].isOfLoop)
        #expect(
            manifest.gears[0].messages.map { $0.name + $0.type.fields.map(\.name).joined(separator: ",") }
                == ["addedkey,n,note", "paidkey"])
        #expect(manifest.loops[0].receives.map(\.event) == [0, 1])
        #expect(manifest.loops[0].receives.allSatisfy { $0.key?.name == "key" })
    }

    @Test func withoutMore_thereIsRoomForAMillionInstances() throws {
        let manifest = try #require(
            try load(
                "[loops.a]\nkey = \"uint\"\nevents.x = {}\non.x = {}\n[loops.b]\nkey = \"bytes\"\nevents.x = {}\non.x = {}\ninitial = \"on\"\nstates.on = {}\n"
            )
            .manifest)
        let keys = manifest.loops.compactMap(\.key)
        #expect(keys.map(\.limit) == [1_000_000, 1_000_000] && keys.map(\.keep) == [.zero, .zero])
        #expect(keys.allSatisfy { $0.creates == nil })
        #expect(manifest.loops[1].initialState.value.json == #"{"case":"on","key":""}"#)
    }

    @Test func keys_areReadFromRecords_upToALength() throws {
        func key(_ kind: KeyModel.Kind, _ value: Value) throws -> LoopKey {
            var record = Record(RecordType([("key", kind.type)]))
            try record.set("key", to: value)
            return try LoopKey(in: record)
        }
        #expect(try key(.int, .int(-1)) == .int(-1))
        #expect(try key(.uint, .uint(.max)) == .uint(.max))
        #expect(try key(.bytes, .bytes([1])).description == #""AQ==""#)
        #expect(try key(.string, .string("a b")).description == #""a b""#)
        let long = String(repeating: "x", count: LoopKey.mostBytes)
        #expect(try key(.string, .string(long)).description == long)
        #expect(throws: LoopKey.TooLong.self) { try key(.string, .string(long + "x")) }
    }
}
