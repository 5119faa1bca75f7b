import Interfaces
@testable import PluginHost
import Records
import TestSupport
import Testing

/// Calls of guarded plugins: whatever crashes in them, the host goes on.
@Suite struct GuardTests {
    let host: TestHost
    let image: PluginImage

    init() throws {
        host = try TestHost()
        image = try host.open("crashes.cpp", isGuarded: true)
    }

    private func fault(_ effect: String, for token: CallToken? = nil) -> PluginError? {
        #expect(throws: PluginError.self) { try host.call(image, effect, for: token) }
    }

    @Test(arguments: [
        ("read_null", "SIGSEGV at address 0x0"), ("write_code", "SIGSEGV at address 0x"),
        ("read_beyond_file", "SIGBUS at address 0x"), ("divide", "SIGFPE"), ("give_up", "SIGABRT"),
        ("give_up_later", "SIGABRT"),
        ("throw_through_noexcept", "SIGABRT"), ("overflow_stack", "SIGSEGV at address 0x"),
        ("emit_and_crash", "SIGSEGV at address 0x0"),
    ])
    func `a crash is a fault of the call, and the plugin is not called again`(
        _ effect: String, _ crash: String
    ) throws {
        let sink = RecordingSink(image)
        #expect(try host.call(image, "fine", .int(5)) == .int(5))
        let token = try host.services.begin(sink, for: image)
        let error = fault(effect, for: token)
        #expect(error?.code == .callCrashed)
        #expect(
            error?.message.hasPrefix("`\(effect)` crashed with \(crash)") == true, "\(error?.message ?? "")")
        let next = fault("throw_text")
        #expect(next?.code == .quarantined)
        #expect(
            next?.message.hasPrefix(
                "`throw_text` was not called: the plugin is in quarantine since effect `\(effect)` crashed with \(crash)"
            ) == true, "\(next?.message ?? "")")
        #expect(host.log.all.count == 1)
        #expect(
            host.log.all[0].text.hasPrefix("effect `\(effect)` crashed with \(crash)")
                && host.log.all[0].text.hasSuffix("; the plugin is not called any more"))
        host.services.cancel(token)
    }

    @Test func `a trap is a crash, whatever signal the machine has for it`() {
        let error = fault("trap")
        #expect(error?.message.hasPrefix("`trap` crashed with SIG") == true)
    }

    @Test func `the same file loaded again is another plugin, which may be called`() throws {
        #expect(fault("read_null")?.code == .callCrashed)
        let again = try host.open("crashes.cpp", isGuarded: true)
        #expect(try host.call(again, "fine", .int(1)) == .int(1))
    }

    @Test func `crashes come and go, on one thread and on many`() async throws {
        let (host, path) = (host, try PluginFixture.path("crashes.cpp"))
        try await withThrowingTaskGroup { group in
            for number in 0..<8 {
                group.addTask {
                    for round in 0..<4 {
                        let image = try PluginImage.open(
                            .file(path), isGuarded: true, staging: host.staging, services: host.services)
                        let effect = ["read_null", "give_up", "overflow_stack"][(number + round) % 3]
                        let error = #expect(throws: PluginError.self) { try host.call(image, effect) }
                        #expect(error?.code == .callCrashed)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `an exception stays a fault without consequences`() throws {
        #expect(fault("throw_text")?.message == "`throw_text` threw a C++ exception: `an ordinary exception`")
        #expect(try host.call(image, "fine", .int(2)) == .int(2))
    }

    @Test func `a returned pointer that leads nowhere is a fault of the call`() throws {
        #expect(
            fault("return_wild_text")?.message
                == "`return_wild_text` returned a value that is not of its type: a text lies at 0x10, which cannot be read"
        )
        #expect(try host.call(image, "fine", .int(3)) == .int(3))
    }

    @Test(arguments: [
        ("emit_wild_text", "rejected told: `text`: a text lies at 0x10, which cannot be read"),
        ("emit_wild_payload", "rejected told: a value of 8 bytes lies at 0x10, which cannot be read"),
    ])
    func `an emission from where nothing can be read is refused`(_ effect: String, _ line: String) throws {
        let sink = RecordingSink(image)
        let token = try host.services.begin(sink, for: image)
        #expect(try host.call(image, effect, for: token) == .int(-5))
        #expect(sink.heard.all == [line])
        host.services.cancel(token)
    }

    @Test func `a wrong size is refused`() throws {
        let sink = RecordingSink(image)
        let token = try host.services.begin(sink, for: image)
        #expect(try host.call(image, "emit_more_than_there_is", for: token) == .int(-5))
        #expect(sink.heard.all.count == 1)
        #expect(try host.call(image, "log_wild_text") == .int(-5))
        host.services.cancel(token)
    }

    @Test func `a crash in a timer's function fails its call and ends the others of the plugin`() throws {
        let (sink, other) = (RecordingSink(image), RecordingSink(image))
        let waiting = try host.services.begin(other, for: image)
        _ = try host.call(image, "wait", for: waiting)
        let token = try host.services.begin(sink, for: image)
        #expect(try host.call(image, "crash_on_timer", for: token) == .int(0))
        host.clock.advance(by: 1)
        #expect(
            sink.heard.all
                == ["failed -1120 the function of a timer crashed with SIGSEGV at address 0x0"])
        #expect(
            other.heard.all == [
                "failed -1121 the plugin is in quarantine since the function of a timer crashed with SIGSEGV at address 0x0"
            ])
        #expect(!host.services.isRunning(token) && !host.services.isRunning(waiting))
        #expect(host.clock.count == 0)
    }

    @Test(arguments: ["crash_on_cancel", "crash_on_release"])
    func `a crash in a callback at the end of a call puts the plugin in quarantine`(_ effect: String) throws {
        let token = try host.services.begin(RecordingSink(image), for: image)
        #expect(try host.call(image, effect, for: token) == .int(0))
        host.clock.advance(by: 1)
        host.services.cancel(token)
        #expect(!host.services.isRunning(token))
        #expect(fault("throw_text")?.code == .quarantined)
        #expect(host.log.all.count == 1)
    }

    @Test func `handlers that a guarded plugin puts in the host's place come second`() throws {
        let image = try host.open("ends_process.c", isGuarded: true)
        #expect(try host.call(image, "change_handlers") == .int(0))
        let copy = try #require(image.stagedPath)
        #expect(
            host.log.all.map(\.text) == [
                "the handler of SIGSEGV was replaced by one of `\(copy)`; the host's is in front of it again"
            ])
        let error = #expect(throws: PluginError.self) { try host.call(image, "crash") }
        #expect(error?.message == "`crash` crashed with SIGSEGV at address 0x0")
    }
}
