import Interfaces
@testable import PluginHost
import Records
import TestSupport
import Testing

/// Crashes in the functions by which the instances of a guarded plugin live.
@Suite struct GuardedLifeTests {
    let host: TestHost
    let image: PluginImage
    private static let crash = "crashed with SIGSEGV at address 0x0"

    init() throws {
        host = try TestHost()
        image = try host.open("instances.c", isGuarded: true)
    }

    private func instance(_ name: String, _ settings: (String, Value)...) throws -> PluginInstance {
        try PluginInstance.prepared(of: image, [("name", .string(name))] + settings)
    }

    private func expectQuarantine(since function: String) throws {
        let error = #expect(throws: PluginError.self) { try instance("next").create() }
        #expect(
            error?.message
                == "`sensor` could not be created: `create` was not called: the plugin is in quarantine since function `\(function)` \(Self.crash)"
        )
        #expect(
            host.log.all.map(\.text) == [
                "function `\(function)` \(Self.crash); the plugin is not called any more"
            ])
    }

    @Test func `a crash in create is its failure`() throws {
        let one = try instance("one", ("crashes", .string("create")))
        let error = #expect(throws: PluginError.self) { try one.create() }
        #expect(error?.message == "`sensor` could not be created: `create` \(Self.crash)")
        #expect(error?.code == .instanceFailed)
        try expectQuarantine(since: "create")
        #expect(host.output.all == ["create one"])
    }

    @Test func `a crash in start is its failure, and nothing is called any more`() throws {
        let one = try instance("one", ("crashes", .string("start")))
        let other = try instance("other")
        try one.create()
        try other.create()
        let error = #expect(throws: PluginError.self) { try one.start() }
        #expect(error?.message == "`sensor` could not be started: `start` \(Self.crash)")
        #expect(throws: PluginError.self) { try other.start() }
        one.destroy()
        other.destroy()
        try expectQuarantine(since: "start")
        #expect(host.output.all == ["create one", "create other", "start one"])
    }

    @Test(arguments: ["stop", "destroy"])
    func `a crash at the end is reported, and nothing is called any more`(_ function: String) throws {
        let one = try instance("one", ("crashes", .string(function)))
        let other = try instance("other")
        for instance in [one, other] {
            try instance.create()
            try instance.start()
        }
        one.stop()
        one.destroy()
        other.stop()
        other.destroy()
        try expectQuarantine(since: function)
        #expect(host.output.all.last == "\(function) one")
    }

    @Test func `a crash in save is its failure`() throws {
        let one = try instance("one", ("crashes", .string("save")))
        try one.create()
        let error = #expect(throws: PluginError.self) { try one.save() }
        #expect(error?.message == "`sensor` could not be saved: `save` \(Self.crash)")
        try expectQuarantine(since: "save")
    }

    @Test func `a crash in restore is a refusal`() throws {
        let one = try instance("one", ("crashes", .string("restore")))
        try one.create()
        let state = SavedState(plugin: "sensor", version: "1.1", schema: 3, data: [])
        let error = #expect(throws: PluginError.self) { try one.restore(state) }
        #expect(
            error?.message == "`sensor` does not take over the state of version 1.1: `restore` \(Self.crash)")
        try expectQuarantine(since: "restore")
    }

    @Test func `wrong arguments of save are answered, and do not crash`() throws {
        let one = try instance("one", ("fails", .string("wild")))
        try one.create()
        let error = #expect(throws: PluginError.self) { try one.save() }
        #expect(error?.message == "`sensor` could not be saved: `save` answered -5")
        one.destroy()
        #expect(host.log.all.map(\.text) == [])
    }

    @Test func `a state goes from one guarded instance to another`() throws {
        let one = try instance("one")
        try one.create()
        let state = SavedState(plugin: "sensor", version: "1.2.0", schema: 3, data: [9, 1, 0, 0, 0, 0, 0, 0])
        try one.restore(state)
        #expect(try one.save() == state)
        one.destroy()
    }
}

extension PluginInstance {
    /// An instance of a plugin with these settings over the defaults.
    static func prepared(of image: PluginImage, _ settings: [(String, Value)]) throws -> PluginInstance {
        let description = try #require(image.description?.instance?.config)
        var config = Record(description.type)
        for setting in description.settings {
            if let value = setting.defaultValue { try config.set(setting.name, to: value) }
        }
        for (name, value) in settings { try config.set(name, to: value) }
        return PluginInstance(try InstanceInterface(of: image), config: config)
    }
}
