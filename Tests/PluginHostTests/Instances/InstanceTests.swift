import CPluginABI
import HostLoop
import Interfaces
@testable import PluginHost
import Records
import Testing

/// Instances of plugins without an app: what is called when, and what is handed over.
@Suite struct InstanceTests {
    let host: TestHost
    let image: PluginImage

    init() throws {
        host = try TestHost()
        image = try host.open("instances.c")
    }

    private func instance(_ settings: (String, Value)...) throws -> PluginInstance {
        try PluginInstance.prepared(of: image, settings)
    }

    /// Calls an effect that takes an instance and nothing else.
    private func call(_ effect: String, _ instance: PluginInstance) throws -> Value? {
        let function = try #require(image.description?.effect(effect)).function
        let call = try prepare(function, at: try image.effect(effect), [])
        call.setInstance(instance)
        try call.invoke()
        return outcome(call)["result"]
    }

    @Test func `effects are called for the instance, which has the settings`() throws {
        let one = try instance()
        let other = try instance(
            ("name", .string("other")), ("rate", .int(3)), ("words", .list([.string("ab"), .string("cde")])))
        try one.create()
        try other.create()
        #expect(try call("count", one) == .int(10))
        #expect(try call("count", other) == .int(3))
        #expect(try call("count", one) == .int(20))
        #expect(try call("count_words", other) == .int(5))
        try one.start()
        one.stop()
        one.destroy()
        other.destroy()
        #expect(
            host.output.all == [
                "create sensor", "create other", "start sensor", "stop sensor", "destroy sensor",
                "destroy other",
            ])
    }

    @Test(arguments: [
        ("create", "`sensor` could not be created: there is no device", ["create sensor"]),
        ("nothing", "`sensor` could not be created: `create` answered NULL", ["create sensor"]),
        ("both", "`sensor` could not be created: made and failed", ["create sensor", "destroy sensor"]),
    ])
    func `an instance that cannot be made is none`(_ fails: String, _ message: String, _ lines: [String])
        throws
    {
        let one = try instance(("fails", .string(fails)))
        let error = #expect(throws: PluginError.self) { try one.create() }
        #expect(error?.message == message)
        #expect(error?.code == .instanceFailed)
        #expect(host.output.all == lines)
    }

    @Test(arguments: [
        ("start", "`sensor` could not be started: the device is taken"),
        ("silently", "`sensor` could not be started: `start` answered -11"),
    ])
    func `an instance that cannot be started is destroyed without a stop`(_ fails: String, _ message: String)
        throws
    {
        let one = try instance(("fails", .string(fails)))
        try one.create()
        let error = #expect(throws: PluginError.self) { try one.start() }
        #expect(error?.message == message)
        one.destroy()
        #expect(host.output.all == ["create sensor", "start sensor", "destroy sensor"])
    }

    @Test func `an instance restores the state that another one saved`() throws {
        let one = try instance()
        try one.create()
        _ = try call("count", one)
        let saved = try one.save()
        #expect((saved.plugin, saved.version, saved.schema) == ("sensor", "1.2.0", 3))
        #expect(saved.data == [10, 0, 0, 0, 0, 0, 0, 0])
        one.destroy()
        let other = try instance()
        try other.create()
        try other.restore(try SavedState(framed: saved.framed))
        #expect(try call("count", other) == .int(20))
        other.destroy()
    }

    @Test func `a state may be refused, and is never given to another plugin`() throws {
        let one = try instance()
        try one.create()
        func refusal(_ state: SavedState) -> String? {
            #expect(throws: PluginError.self) { try one.restore(state) }?.message
        }
        let data = [UInt8](repeating: 0, count: 8)
        #expect(
            refusal(SavedState(plugin: "sensor", version: "9.0", schema: 4, data: data))
                == "`sensor` does not take over the state of version 9.0: its schema is newer")
        #expect(
            refusal(SavedState(plugin: "sensor", version: "1.0", schema: 3, data: [1, 2]))
                == "`sensor` does not take over the state of version 1.0: `restore` answered -5")
        #expect(
            refusal(SavedState(plugin: "other", version: "1.0", schema: 3, data: data))
                == "`sensor` does not take over the state of version 1.0: it is that of `other`")
        one.destroy()
        #expect(host.output.all.filter { $0.hasPrefix("restore") }.count == 2)
    }

    @Test func `an instance that fails to save says so`() throws {
        let one = try instance(("fails", .string("save")))
        try one.create()
        let error = #expect(throws: PluginError.self) { try one.save() }
        #expect(error?.message == "`sensor` could not be saved: `save` answered -1")
        one.destroy()
    }

    @Test func `a frame is read as it was written, and not when a byte of it is another`() throws {
        let state = SavedState(plugin: "sensor", version: "1.0", schema: 7, data: Array("abc".utf8))
        let framed = state.framed
        #expect(try SavedState(framed: framed) == state)
        for count in framed.indices {
            #expect(throws: SavedState.Damage.self) { try SavedState(framed: Array(framed.prefix(count))) }
            var changed = framed
            changed[count] ^= 0x41
            #expect(throws: SavedState.Damage.self) { try SavedState(framed: changed) }
        }
        #expect(throws: SavedState.Damage.self) { try SavedState(framed: framed + [0]) }
    }

    @Test func `exceptions of the life are failures, and go no further`() throws {
        let path = try PluginFixture.path("throwing_life.cpp")
        let image = try host.open(path: path)
        let one = PluginInstance(try InstanceInterface(of: image), config: nil)
        try one.create()
        let error = #expect(throws: PluginError.self) { try one.start() }
        #expect(error?.message == "`thrower` could not be started: `start` threw a C++ exception: `no start`")
        one.destroy()
        #expect(host.log.all.map(\.text) == ["`destroy` threw a C++ exception: `no end`"])
    }

    @Test func `the deadline of a call is that of its timeout`() throws {
        let sink = RecordingSink(image)
        _ = try host.call(image, "time_left", for: host.services.begin(sink, for: image))
        _ = try host.call(
            image, "time_left", for: host.services.begin(sink, for: image, timeout: .milliseconds(3)))
        #expect(
            sink.heard.all == [
                #"counted {"n":-1}"#, "finished", #"counted {"n":3000000}"#, "finished",
            ])
    }
}
