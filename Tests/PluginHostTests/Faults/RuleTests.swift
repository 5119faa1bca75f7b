import CPluginABI
import HostLoop
import Interfaces
@testable import PluginHost
import Records
import TestSupport
import Testing

/// Rules of `plugin.h` that a plugin breaks: what it is answered, and what the log says.
@Suite struct RuleTests {
    let host: TestHost
    let image: PluginImage

    init() throws {
        host = try TestHost()
        image = try host.open("misbehaves.c")
    }

    @Test(arguments: [
        ("emit_after_finish", SPIN_STOPPED, PluginRule.emissionAfterEnd),
        ("finish_twice", SPIN_STOPPED, .secondEnd), ("fail_after_finish", SPIN_STOPPED, .secondEnd),
        ("on_cancel_twice", SPIN_FULL, .secondCancellation), ("on_cancel_null", SPIN_BAD_VALUE, .noFunction),
        ("on_cancel_after_finish", SPIN_STOPPED, .requestAfterEnd),
        ("negative_timer", SPIN_BAD_VALUE, .negativeTime),
        ("timer_without_function", SPIN_BAD_VALUE, .noFunction),
        ("timer_after_finish", SPIN_STOPPED, .requestAfterEnd),
        ("room_twice", SPIN_FULL, .secondRoom), ("room_null", SPIN_BAD_VALUE, .noFunction),
        ("room_after_finish", SPIN_STOPPED, .requestAfterEnd), ("poll_null", SPIN_BAD_VALUE, .noFunction),
        ("poll_closed", SPIN_BAD_VALUE, .badPoll), ("poll_unknown_events", SPIN_BAD_VALUE, .badPoll),
        ("poll_file", SPIN_BAD_VALUE, .badPoll), ("poll_twice", SPIN_BAD_VALUE, .badPoll),
        ("poll_after_finish", SPIN_STOPPED, .requestAfterEnd), ("retain_foreign", SPIN_BAD_VALUE, .badBuffer),
        ("key_after_finish", SPIN_STOPPED, .keyAfterEnd), ("key_without_room", SPIN_BAD_VALUE, .noRoomForKey),
        ("key_to_null", SPIN_BAD_VALUE, .noRoomForKey),
    ])
    func `a broken rule is answered, and logged with the effect`(
        _ effect: String, _ answer: Int32, _ rule: PluginRule
    ) throws {
        let token = try host.services.begin(RecordingSink(image), for: image, effect: effect)
        #expect(try host.call(image, effect, for: token) == .int(Int64(answer)))
        #expect(
            host.log.all == [
                PluginLogLine(
                    plugin: "misbehaves", version: "1.0.0", call: token, level: 1,
                    text: "effect `\(effect)`: \(rule.rawValue)", matter: .brokenRule)
            ])
        host.services.cancel(token)
    }

    @Test(arguments: ["wild_timer", "wild_poll", "wild_use"])
    func `a guarded plugin gets no answer at a place that is not its own`(_ effect: String) throws {
        let guarded = try host.open("misbehaves.c", isGuarded: true)
        let token = try host.services.begin(RecordingSink(guarded), for: guarded, effect: effect)
        #expect(try host.call(guarded, effect, for: token) == .int(Int64(SPIN_BAD_VALUE)))
        #expect(host.log.all.count == 1)
        #expect(host.log.all[0].text.hasSuffix(PluginRule.badPlace.rawValue))
        host.services.cancel(token)
    }

    @Test func `a buffer without a reference is not released`() throws {
        #expect(try host.call(image, "release_twice") == .int(Int64(SPIN_BAD_VALUE)))
        #expect(host.log.all.map(\.text) == [PluginRule.badBuffer.rawValue])
    }

    @Test(arguments: ["log_invalid", "lie_about_size"])
    func `invalid text is not used`(_ effect: String) throws {
        #expect(try host.call(image, effect) == .int(Int64(SPIN_BAD_VALUE)))
        #expect(host.log.all.map(\.text) == [PluginRule.badText.rawValue])
    }

    @Test(arguments: [
        ("emit_null_with_size", "rejected told: `text`: a null pointer comes with a size of 5"),
        (
            "emit_huge_size",
            "rejected told: `text`: a size of 1152921504606846976 is beyond the limit of 1 GiB"
        ),
    ])
    func `sizes that cannot be are refused`(_ effect: String, _ line: String) throws {
        let sink = RecordingSink(image)
        let token = try host.services.begin(sink, for: image)
        #expect(try host.call(image, effect, for: token) == .int(Int64(SPIN_BAD_VALUE)))
        #expect(sink.heard.all == [line])
    }

    @Test func `a frequent mistake is logged rarely`() throws {
        let token = try host.services.begin(RecordingSink(image), for: image, effect: "flood")
        #expect(try host.call(image, "emit_after_finish", for: token) == .int(Int64(SPIN_STOPPED)))
        #expect(try host.call(image, "flood", for: token, .int(999)) == .int(0))
        let rule = "effect `flood`: \(PluginRule.emissionAfterEnd.rawValue)"
        #expect(
            host.log.all.map(\.text).filter { $0.hasPrefix(rule) } == [
                rule, "\(rule) (10 times by now)", "\(rule) (100 times by now)",
                "\(rule) (1000 times by now)",
            ])
    }

    @Test func `waiting for room in a timer function is logged`() throws {
        let token = try host.services.begin(RecordingSink(image), for: image, effect: "wait_in_timer")
        #expect(try host.call(image, "wait_in_timer", for: token) == .int(0))
        host.clock.advance(by: 1)
        #expect(host.log.all.map(\.text) == ["effect `wait_in_timer`: \(PluginRule.waitInTimer.rawValue)"])
        host.services.cancel(token)
    }

    @Test func `requests after the host has ended the call break no rule`() throws {
        let token = try host.services.begin(RecordingSink(image), for: image, effect: "keep")
        #expect(try host.call(image, "keep", for: token) == .int(0))
        host.services.cancel(token)
        let answer = try OtherThread.result { try call(self.image, "int64_t emit_kept(void)")["result"] }
        #expect(answer == .int(Int64(SPIN_CANCELLED)))
        #expect(host.services.lateEmissions == 1)
        #expect(host.log.all == [])
    }

    @Test func `a thread that is left behind does no harm`() throws {
        #expect(try host.call(image, "leave_thread") == .int(0))
        #expect(try host.call(image, "leave_thread") == .int(0))
    }
}
