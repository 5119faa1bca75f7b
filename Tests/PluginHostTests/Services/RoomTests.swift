import CPluginABI
import HostLoop
@testable import PluginHost
import Records
import TestSupport
import Testing

/// Plugins that wait for room without blocking a thread.
@Suite(.timeLimit(.minutes(10))) struct RoomTests {
    private static let source = """
        #include <spinhost/plugin.h>
        #include <stdatomic.h>
        SPIN_PLUGIN("rooms", "1");
        SPIN_EMITTER(ticked, (int64_t, number));
        static atomic_int count;
        static void room(void *context) {
            ticked((spin_call *)context, atomic_fetch_add(&count, 1));
        }
        static int32_t ask(spin_call *call) { return spin_on_room(call, room, call); }
        SPIN_EFFECT(int32_t, ask, (spin_call *call), "");
        static void ask_again(void *context) {
            if (atomic_fetch_add(&count, 1) < 3)
                spin_on_room((spin_call *)context, ask_again, context);
        }
        static int32_t ask_often(spin_call *call) { return spin_on_room(call, ask_again, call); }
        SPIN_EFFECT(int32_t, ask_often, (spin_call *call), "");
        static int32_t calls(void) { return atomic_load(&count); }
        SPIN_EFFECT(int32_t, calls, (void), "");
        """

    let host: TestHost
    let image: PluginImage
    let sink: RecordingSink
    let token: CallToken

    init() throws {
        host = try TestHost()
        image = try host.open(path: try PluginFixture.path(source: Self.source, as: "rooms.c"))
        sink = RecordingSink(image)
        token = try host.services.begin(sink, for: image)
    }

    private func whenIdle() async {
        await withCheckedContinuation { done in image.whenIdle { done.resume() } }
    }

    @Test func `the function is called once there is room, and not before`() async throws {
        #expect(try host.call(image, "ask", for: token) == .int(0))
        await whenIdle()
        #expect(sink.heard.all == [])
        sink.makeRoom()
        await waitUntil { sink.heard.all == [#"ticked {"number":0}"#] }
        sink.makeRoom()
        host.services.cancel(token)
        await whenIdle()
        #expect(try host.call(image, "calls") == .int(1))
    }

    @Test func `the end of the call calls the function, too, and its emission is refused`() async throws {
        #expect(try host.call(image, "ask", for: token) == .int(0))
        host.services.cancel(token)
        try await waitUntil { try host.call(image, "calls") == .int(1) }
        #expect(sink.waitingCount == 0)
        sink.makeRoom()
        await whenIdle()
        #expect(try host.call(image, "calls") == .int(1))
        #expect(sink.heard.all == [])
    }

    @Test func `the function may ask for the next room`() async throws {
        #expect(try host.call(image, "ask_often", for: token) == .int(0))
        try await waitUntil {
            sink.makeRoom()
            return try host.call(image, "calls") == .int(4)
        }
        sink.makeRoom()
        await whenIdle()
        #expect(try host.call(image, "calls") == .int(4))
    }

    @Test func `when room meets the end, the function is called exactly once`() async throws {
        for round in 1...200 {
            let token = try host.services.begin(sink, for: image)
            #expect(try host.call(image, "ask", for: token) == .int(0))
            async let cancelled: Void = host.services.cancel(token)
            sink.makeRoom()
            await cancelled
            await whenIdle()
            #expect(try host.call(image, "calls") == .int(Int64(round)))
        }
    }
}
