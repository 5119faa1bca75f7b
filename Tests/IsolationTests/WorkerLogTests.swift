import HostLoop
import Interfaces
import Records
import Testing

@testable import Isolation
@testable import PluginHost

/// The calls that lines of a worker's log are about.
struct WorkerLogTests {
    private final class Sink: CallSink {
        func emitted(emitter: String, payload: UnsafeRawPointer, wait: EmissionWait) -> Int32 { 0 }
        func rejected(emitter: String?, reason: String) {}
        func finished() {}
        func failed(code: Int32, text: String) {}
    }

    private let lines: Lines
    private let services: HostServices
    private let played: PlayedWorker

    private final class Lines: Sendable {
        let all = Lock<[PluginLogLine]>([])
    }

    init() throws {
        let lines = Lines()
        self.lines = lines
        services = HostServices(
            clock: ContinuousLoopClock(), wallTime: { 0 },
            log: { line in lines.all.withLock { $0.append(line) } },
            output: { _ in true })
        let description = try PluginDescription(notes: [
            PluginNote(.plugin, ["\(ABIVersion.host)", "played", "1"]),
            PluginNote(.effect, ["begin", "void begin(spin_call *call)", "", ""]),
        ])
        played = try PlayedWorker(description, services: services, sink: Sink())
    }

    /// Has the worker send a line, and returns the call that the host takes it to be about.
    private func call(ofLineOf plugin: UInt64, about call: UInt64) throws -> CallToken? {
        let body = ByteWriter()
        body.put(plugin)
        LogMessage(
            PluginLogLine(plugin: "", version: "", call: nil, level: 0, text: "hello", matter: .ofPlugin),
            call: call
        ).write(to: body)
        // Safe because the bytes are copied.
        played.send(WorkerMessage.logged.rawValue, unsafe body.withBytes { unsafe Array($0) })
        #expect(played.killReason == nil)
        return try #require(lines.all.withLock { $0.popLast() }).call
    }

    @Test func aLineIsAboutACallOfItsPlugin() throws {
        // The first number that a worker gives is that of its first plugin.
        let own = played.number(ofCall: 0)
        #expect(try call(ofLineOf: 1, about: own)?.bits == UInt(own))
        #expect(try call(ofLineOf: 1, about: 0) == nil)
        played.end()
    }

    @Test func aLineIsNotAboutACallOfAnotherPlugin() throws {
        let image = PluginImage(
            library: "native", staged: nil, description: nil, services: services, code: .linked, table: nil,
            emitters: [:])
        let native = try services.begin(Sink(), for: image)
        defer { services.cancel(native) }
        for plugin: UInt64 in [1, 99] {
            #expect(try call(ofLineOf: plugin, about: UInt64(native.bits)) == nil)
        }
        // The number of no plugin.
        #expect(try call(ofLineOf: 99, about: played.number(ofCall: 0)) == nil)
        played.end()
    }
}
