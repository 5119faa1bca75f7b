import CPluginABI
@testable import PluginHost
import Records
import Testing

/// `spin.run/1`: the key of a run, and how often its call was made.
@Suite struct RunTests {
    /// A call of a run with this key.
    private final class RunSink: CallSink {
        let key: String?
        let attempt: UInt32

        init(key: String?, attempt: UInt32) { (self.key, self.attempt) = (key, attempt) }

        func emitted(emitter: String, payload: UnsafeRawPointer, wait: EmissionWait) -> Int32 { SPIN_OK }
        func rejected(emitter: String?, reason: String) {}
        func finished() {}
        func failed(code: Int32, text: String) {}
    }

    private static let source = """
        #include <spinhost/plugin.h>
        #include <string.h>
        SPIN_PLUGIN("payment", "1.0.0");
        static char key[SPIN_RUN_KEY_SIZE];
        static int32_t read_key(spin_call *call, int64_t room) {
            memset(key, '?', sizeof key - 1);
            return spin_run_key(call, key, (size_t)room);
        }
        SPIN_EFFECT(int32_t, read_key, (spin_call *call, int64_t room), "");
        static const char *last_key(void) { return key; }
        SPIN_EFFECT(const char *, last_key, (void), "");
        static int64_t attempt(spin_call *call) { return spin_run_attempt(call); }
        SPIN_EFFECT(int64_t, attempt, (spin_call *call), "");

        """

    private let host: TestHost
    private let image: PluginImage

    init() throws {
        host = try TestHost()
        image = try host.open(path: try PluginFixture.path(source: Self.source, as: "payment.c"))
    }

    private func begin(_ key: String?, _ attempt: UInt32 = 1) throws -> CallToken {
        try host.services.begin(RunSink(key: key, attempt: attempt), for: image, effect: "read_key")
    }

    @Test func `a plugin reads key and attempt of its call`() throws {
        let token = try begin("abc/pay/1", 3)
        #expect(try host.call(image, "read_key", for: token, .int(256)) == .int(0))
        #expect(try host.call(image, "last_key") == .string("abc/pay/1"))
        #expect(try host.call(image, "attempt", for: token) == .int(3))
        #expect(host.log.all == [])
    }

    @Test func `the longest key fits into the size that the header names`() throws {
        let longest = String(repeating: "k", count: Int(SPIN_RUN_KEY_SIZE) - 1)
        let token = try begin(longest)
        #expect(try host.call(image, "read_key", for: token, .int(Int64(SPIN_RUN_KEY_SIZE))) == .int(0))
        #expect(try host.call(image, "last_key") == .string(longest))
    }

    @Test func `a key that has no room for its NUL is not written`() throws {
        let token = try begin("four")
        #expect(try host.call(image, "read_key", for: token, .int(4)) == .int(Int64(SPIN_BAD_VALUE)))
        #expect(try host.call(image, "last_key") == .string(String(repeating: "?", count: 255)))
        #expect(host.log.all.map(\.text) == ["effect `read_key`: \(PluginRule.noRoomForKey.rawValue)"])
    }

    @Test func `a call of no run has no key, and neither has a call that is over`() throws {
        let token = try begin(nil, 0)
        #expect(try host.call(image, "read_key", for: token, .int(256)) == .int(Int64(SPIN_UNSUPPORTED)))
        #expect(try host.call(image, "attempt", for: token) == .int(0))
        let cancelled = try begin("abc")
        host.services.cancel(cancelled)
        #expect(try host.call(image, "read_key", for: cancelled, .int(256)) == .int(Int64(SPIN_CANCELLED)))
        #expect(try host.call(image, "attempt", for: cancelled) == .int(0))
        #expect(try host.call(image, "read_key", for: nil, .int(256)) == .int(Int64(SPIN_STOPPED)))
        #expect(host.log.all == [])
    }

    @Test func `a guarded plugin that gives memory which is not its own is answered`() throws {
        let image = try host.open("misbehaves.c", isGuarded: true)
        let token = try host.services.begin(RecordingSink(image), for: image, effect: "key_to_anywhere")
        #expect(try host.call(image, "key_to_anywhere", for: token) == .int(Int64(SPIN_BAD_VALUE)))
        #expect(!image.isQuarantined)
    }
}
