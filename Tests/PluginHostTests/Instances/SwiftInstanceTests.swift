import Foundation
@testable import PluginHost
import Records
import TestSupport
import Testing

/// Instances of a plugin in Swift, built by CMake, without an app.
@Suite struct SwiftInstanceTests {
    private static let library = Project.root.appendingPathComponent(
        "build/Tests/Fixtures/swift-plugin/talker.so"
    ).path

    let host: TestHost
    let image: PluginImage

    init() throws {
        host = try TestHost()
        image = try host.open(path: Self.library)
    }

    private func instance() throws -> PluginInstance {
        let one = try PluginInstance.prepared(of: image, [("word", .string("tick"))])
        try one.create()
        return one
    }

    @Test func `an instance restores the state that another one saves`() throws {
        let one = try instance()
        try one.restore(SavedState(plugin: "talker", version: "0.9", schema: 1, data: Array("41".utf8)))
        try one.start()
        one.stop()
        let saved = try one.save()
        #expect(saved.data == Array("41".utf8))
        one.destroy()
        #expect(host.output.all == ["start tick", "stop tick at 41"])
    }

    @Test func `an invalid state is refused with the reason`() throws {
        let one = try instance()
        let error = #expect(throws: PluginError.self) {
            try one.restore(SavedState(plugin: "talker", version: "0.9", schema: 1, data: Array("x".utf8)))
        }
        #expect(
            error?.message
                == "`talker` does not take over the state of version 0.9: a number is expected, `x` came")
        one.destroy()
    }
}
