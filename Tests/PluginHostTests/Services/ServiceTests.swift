import CPluginABI
import Diagnostics
import HostLoop
import Interfaces
@testable import PluginHost
import Records
import StandardPlugin
import Testing

/// What plugins may ask of their host, at the right and at the wrong time.
@Suite struct ServiceTests {
    let host: TestHost
    let image: PluginImage
    let sink: RecordingSink

    init() throws {
        host = try TestHost()
        image = try host.open("emits.c")
        sink = RecordingSink(image)
    }

    // MARK: Emissions

    @Test func `emissions become records that outlive what the plugin passed`() throws {
        let token = try host.services.begin(sink, for: image)
        #expect(try host.call(image, "emit_nothing", for: token) == .int(0))
        #expect(try host.call(image, "emit_pair", for: token, .int(-5), .double(0.5)) == .int(0))
        #expect(try host.call(image, "emit_text", for: token, .string("abc")) == .int(0))
        #expect(try host.call(image, "emit_bytes", for: token) == .int(0))
        #expect(
            sink.heard.all == [
                "nothing {}", #"pair {"a":-5,"b":0.5}"#, #"told {"text":"ab","n":-7,"more":"abc"}"#,
                #"dumped {"data":"AP8B","flag":true}"#,
            ])
    }

    @Test func `the sink's answer is the plugin's`() throws {
        let full = RecordingSink(image, answer: SPIN_FULL)
        let token = try host.services.begin(full, for: image)
        #expect(try host.call(image, "emit_nothing", for: token) == .int(-2))
    }

    @Test(arguments: [
        ("emit_null", "told: `text`: expected text, found null"),
        ("emit_invalid", "told: `text`: the text is not UTF-8 at byte 1"),
        ("emit_without_payload", "pair: the payload is a null pointer"),
        ("emit_foreign", "?: the emitter is not the plugin's own"),
    ])
    func `an emission that differs from its declaration is refused, and the sink is notified`(
        _ effect: String, _ line: String
    ) throws {
        let token = try host.services.begin(sink, for: image)
        #expect(try host.call(image, effect, for: token) == .int(-5))
        #expect(sink.heard.all == ["rejected \(line)"])
        #expect(host.services.isRunning(token))
    }

    @Test func `a thread of the plugin emits in order and finishes`() throws {
        let token = try host.services.begin(sink, for: image)
        #expect(try host.call(image, "emit_from_thread", for: token) == .int(0))
        #expect(try call(image, "int32_t join_thread(void)")["result"] == .int(0))
        let expected = (0..<1000).map { #"pair {"a":\#($0),"b":0.5}"# } + ["finished"]
        #expect(sink.heard.all == expected)
    }

    // MARK: The end of a call

    @Test func `after the end everything is answered and nothing happens`() throws {
        let token = try host.services.begin(sink, for: image)
        #expect(try host.call(image, "is_cancelled", for: token) == .int(0))
        #expect(try host.call(image, "finish", for: token) == .int(0))
        #expect(try host.call(image, "emit_nothing", for: token) == .int(-4))
        #expect(try host.call(image, "finish", for: token) == .int(-4))
        #expect(try host.call(image, "fail", for: token, .int(-3), .string("late")) == .int(-4))
        #expect(try host.call(image, "on_cancel", for: token, .int(0)) == .int(-4))
        #expect(try host.call(image, "is_cancelled", for: token) == .int(1))
        #expect(try host.call(image, "start_timer", for: token, .int(0), .int(0), .int(0)) == .int(-4))
        #expect(sink.heard.all == ["finished"])
        #expect(!host.services.isRunning(token))
    }

    @Test func `an emission after the end or the cancellation is counted by its host`() throws {
        let finished = try host.services.begin(sink, for: image)
        #expect(try host.call(image, "finish", for: finished) == .int(0))
        let cancelled = try host.services.begin(sink, for: image)
        host.services.cancel(cancelled)
        let other = try TestHost()
        #expect(host.services.lateEmissions == 0)
        #expect(try host.call(image, "emit_nothing", for: finished) == .int(-4))
        #expect(try host.call(image, "emit_nothing", for: cancelled) == .int(-3))
        #expect(try host.call(image, "finish", for: cancelled) == .int(-3))
        #expect(try host.call(image, "emit_nothing") == .int(-4))
        #expect(host.services.lateEmissions == 2)
        #expect(other.services.lateEmissions == 0)
    }

    @Test func `a failure carries code and text`() throws {
        func fail(_ effect: String, _ arguments: (code: Int64, text: String)?) throws {
            let token = try host.services.begin(sink, for: image)
            let status =
                if let arguments {
                    try host.call(image, effect, for: token, .int(arguments.code), .string(arguments.text))
                } else { try host.call(image, effect, for: token) }
            #expect(status == .int(0))
        }
        try fail("fail", (-77, "out of paper"))
        try fail("fail", (3, "positive"))
        try fail("fail_silently", nil)
        #expect(sink.heard.all == ["failed -77 out of paper", "failed -1 positive", "failed -1 "])
    }

    @Test func `a cancelled call can ask for it, and its function is called once`() throws {
        let before = try call(image, "int64_t cancel_count(void)")["result"]
        let token = try host.services.begin(sink, for: image)
        #expect(try host.call(image, "on_cancel", for: token, .int(1)) == .int(0))
        #expect(try host.call(image, "on_cancel", for: token, .int(2)) == .int(-2))
        #expect(try host.call(image, "on_cancel_nothing", for: token) == .int(-5))
        host.services.cancel(token)
        host.services.cancel(token)
        #expect(try host.call(image, "is_cancelled", for: token) == .int(1))
        #expect(try host.call(image, "emit_nothing", for: token) == .int(-3))
        #expect(try host.call(image, "finish", for: token) == .int(-3))
        #expect(try host.call(image, "on_cancel", for: token, .int(3)) == .int(-3))
        #expect(sink.heard.all == [])
        #expect(before == .int(0))
        #expect(try call(image, "int64_t cancel_count(void)")["result"] == .int(1))
    }

    @Test func `a function for the cancellation is not called after the end`() throws {
        let token = try host.services.begin(sink, for: image)
        #expect(try host.call(image, "on_cancel", for: token, .int(4)) == .int(0))
        #expect(try host.call(image, "finish", for: token) == .int(0))
        host.services.cancel(token)
        #expect(try call(image, "int64_t cancel_count(void)")["result"] == .int(0))
    }

    @Test func `when a cancellation meets the end, exactly one of them wins`() async throws {
        for _ in 0..<300 {
            let token = try host.services.begin(sink, for: image)
            async let cancelled: Void = host.services.cancel(token)
            let answer = try host.call(image, "race", for: token)
            await cancelled
            #expect(answer == .int(0) || answer == .int(1))
        }
    }

    @Test func `a token of a call that was never begun is refused`() throws {
        let token = try host.services.begin(sink, for: image)
        host.services.cancel(token)
        // Slots are used again after a while, with another serial.
        var later: [CallToken] = []
        for _ in 0..<40_000 {
            let next = try host.services.begin(sink, for: image)
            host.services.cancel(next)
            later.append(next)
        }
        #expect(!later.contains(token))
        #expect(Set(later).count == later.count)
        #expect(Set(later.map(\.slot)).count < later.count)
        #expect(try host.call(image, "finish", for: token) != .int(0))
        #expect(try host.call(image, "finish", for: nil) == .int(-4))
        #expect(sink.heard.all == [])
    }

    @Test func `a call for which there is no room fails, and there is room again when another one ends`()
        throws
    {
        let registry = HostRegistry(calls: CallTable(limit: 2))
        func begin() throws(PluginError) -> CallToken {
            try host.services.begin(sink, for: image, effect: "emit_nothing", in: registry)
        }
        let tokens = [try begin(), try begin()]
        let fault = #expect(throws: PluginError.self) { try begin() }
        #expect(fault?.code.rawValue == "R027")
        #expect(
            fault?.message == "`emit_nothing` was not called: too many calls of plugins have not ended")
        registry.cancel(tokens[0])
        let next = try begin()
        #expect(next.slot == tokens[0].slot && next != tokens[0])
        #expect(throws: PluginError.self) { try begin() }
    }

    // MARK: Timers

    @Test func `a timer counts its due times, also those it was late for`() throws {
        let token = try host.services.begin(sink, for: image)
        #expect(try host.call(image, "start_timer", for: token, .int(10), .int(100), .int(0)) == .int(0))
        host.clock.advance(by: 9)
        #expect(sink.heard.all == [])
        host.clock.advance(by: 1)
        host.clock.advance(by: 350)
        host.clock.advance(by: 50)
        #expect(
            sink.heard.all == [
                #"pair {"a":1,"b":1.0}"#, #"pair {"a":3,"b":2.0}"#, #"pair {"a":1,"b":3.0}"#,
            ])
        host.services.cancel(token)
        #expect(host.clock.count == 0)
        #expect(try call(image, "int64_t release_count(void)")["result"] == .int(1))
    }

    @Test func `a timer without interval fires once`() throws {
        let token = try host.services.begin(sink, for: image)
        #expect(try host.call(image, "start_timer", for: token, .int(0), .int(0), .int(0)) == .int(0))
        host.clock.advance(by: 1000)
        host.clock.advance(by: 1000)
        #expect(sink.heard.all == [#"pair {"a":1,"b":1.0}"#])
        #expect(try call(image, "int64_t release_count(void)")["result"] == .int(1))
        #expect(try host.call(image, "cancel_timer", .int(1 << 40)) == .int(-4))
    }

    @Test func `a timer that ends itself is released after its function`() throws {
        let token = try host.services.begin(sink, for: image)
        #expect(try host.call(image, "start_timer", for: token, .int(10), .int(10), .int(2)) == .int(0))
        for _ in 0..<5 { host.clock.advance(by: 10) }
        #expect(sink.heard.all.count == 2)
        #expect(try call(image, "int64_t release_count(void)")["result"] == .int(1))
        #expect(host.clock.count == 0)
        #expect(try host.call(image, "finish", for: token) == .int(0))
        #expect(try call(image, "int64_t release_count(void)")["result"] == .int(1))
    }

    @Test func `a timer of times that overflow is late for ever and no crash`() throws {
        let token = try host.services.begin(sink, for: image)
        #expect(try host.call(image, "start_timer", for: token, .int(-1), .int(0), .int(0)) == .int(-5))
        #expect(try host.call(image, "start_timer", for: token, .int(.max), .int(.max), .int(0)) == .int(0))
        #expect(try host.call(image, "start_timer", for: token, .int(1), .int(.max), .int(0)) == .int(0))
        host.clock.advance(by: 1 << 40)
        #expect(sink.heard.all == [#"pair {"a":1,"b":1.0}"#])
        host.services.cancel(token)
        #expect(host.clock.count == 0)
    }

    @Test func `cancelling while a timer fires is safe`() async throws {
        for _ in 0..<200 {
            let token = try host.services.begin(sink, for: image)
            #expect(try host.call(image, "start_timer", for: token, .int(1), .int(1), .int(0)) == .int(0))
            async let fired: Void = host.clock.advance(by: 3)
            host.services.cancel(token)
            await fired
        }
        #expect(host.clock.count == 0)
        #expect(try call(image, "int64_t release_count(void)")["result"] == .int(200))
    }

    @Test func `an exception out of a callback is a fault and not the end of the host`() throws {
        let throwing = try host.open("throwing_callbacks.cpp")
        let cancelled = try host.services.begin(sink, for: throwing)
        #expect(try host.call(throwing, "throw_on_cancel", for: cancelled) == .int(0))
        host.services.cancel(cancelled)
        #expect(
            host.log.all.map(\.text) == [
                "the function given to `spin_on_cancel` threw a C++ exception: `cancelled badly`"
            ])
        let timed = try host.services.begin(sink, for: throwing)
        #expect(try host.call(throwing, "throw_on_timer", for: timed) == .int(0))
        host.clock.advance(by: 1)
        #expect(sink.heard.all == ["failed -1 the function of a timer threw a C++ exception: `due badly`"])
        #expect(!host.services.isRunning(timed))
    }

    // MARK: Other services

    @Test func `log lines carry plugin, level and call`() throws {
        let token = try host.services.begin(sink, for: image)
        #expect(try host.call(image, "log_line", for: token, .int(1), .string("low on größe")) == .int(0))
        let late = try host.services.begin(sink, for: image)
        host.services.cancel(late)
        #expect(try host.call(image, "log_line", for: late, .int(-2), .string("")) == .int(0))
        #expect(
            host.log.all == [
                PluginLogLine(plugin: "emits", version: "1.2.3", call: token, level: 1, text: "low on größe"),
                PluginLogLine(plugin: "emits", version: "1.2.3", call: late, level: -2, text: ""),
            ])
    }

    @Test func `printed lines reach the output, and its failure the plugin`() throws {
        #expect(try host.call(image, "print_line", .string("one")) == .int(0))
        #expect(try host.call(image, "print_invalid") == .int(-5))
        #expect(host.output.all == ["one"])
        let closed = try TestHost(accepts: { _ in false })
        #expect(try closed.call(closed.open("emits.c"), "print_line", .string("two")) == .int(-1))
    }

    @Test func `clocks are the host's`() throws {
        host.clock.advance(by: 234)
        #expect(try host.call(image, "now") == .int(1234))
        #expect(try host.call(image, "today") == .int(1_700_000_000_000_000_000))
    }

    @Test func `services are found by id`() throws {
        for id in ["spin.log/2", "spin.clock/1", "spin.timer/1", "spin.output/1"] {
            #expect(try host.call(image, "has_service", .string(id)) == .int(1))
        }
        #expect(try host.call(image, "has_service", .string("spin.log/1")) == .int(0))
        #expect(try host.call(image, "generation") == .int(1))
        #expect(try host.call(host.open("emits.c"), "generation") == .int(2))
    }

    // MARK: The std plugin

    @Test func `a linked plugin serves each of two hosts`() throws {
        let hosts = [try TestHost(), try TestHost()]
        // Safe because the table of `std` is immortal.
        let images = try hosts.map { host in
            unsafe try PluginImage.linked(spin_std_entry(), services: host.services)
        }
        for (index, host) in hosts.enumerated() {
            #expect(try host.call(images[index], "print", .string("line \(index)")) == .int(0))
            let sink = RecordingSink(images[index])
            let token = try host.services.begin(sink, for: images[index])
            _ = try host.call(images[index], "every", for: token, .duration(nanoseconds: 100))
            host.clock.advance(by: 250)
            #expect(sink.heard.all == [#"ticked {"count":2}"#])
            host.services.cancel(token)
            #expect(host.clock.count == 0)
        }
        #expect(hosts.map(\.output.all) == [["line 0"], ["line 1"]])
    }

    @Test func `the same plugin works as a shared object`() throws {
        let standard = try host.open(path: try PluginFixture.standardPlugin())
        #expect(standard.description?.id == "std")
        #expect(try host.call(standard, "print", .string("loaded")) == .int(0))
        #expect(host.output.all == ["loaded"])
        let sink = RecordingSink(standard)
        let token = try host.services.begin(sink, for: standard)
        _ = try host.call(standard, "every", for: token, .duration(nanoseconds: 0))
        #expect(sink.heard.all == ["failed -5 the interval of `every` must be longer than zero"])
    }
}
