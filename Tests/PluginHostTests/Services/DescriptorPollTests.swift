import CPluginABI
import Foundation
import HostLoop
@testable import PluginHost
import Records
import TestSupport
import Testing

/// Descriptors that the host watches for plugins.
@Suite(.timeLimit(.minutes(10))) struct DescriptorPollTests {
    private static let source = """
        #include <spinhost/plugin.h>
        #include <stdatomic.h>
        #include <unistd.h>
        SPIN_PLUGIN("polls", "1");
        SPIN_EMITTER(was_read, (spin_bytes, bytes), (uint64_t, events));
        SPIN_EMITTER(is_writable);
        static spin_call *the_call;
        static spin_poll the_poll;
        static int32_t the_descriptor;
        static atomic_int released;
        static void ready(void *context, uint64_t events) {
            (void)context;
            uint8_t bytes[64];
            ssize_t size = events & SPIN_POLL_READ ? read(the_descriptor, bytes, sizeof bytes) : 0;
            if (size > 0)
                was_read(the_call, (spin_bytes){bytes, (size_t)size}, events);
            if (events & SPIN_POLL_WRITE)
                is_writable(the_call);
            if (size == 1 && bytes[0] == 'c')
                spin_poll_cancel(the_poll);
            if (size == 1 && bytes[0] == 'f')
                spin_finish(the_call);
            if (size == 1 && bytes[0] == '0')
                *(volatile int *)0 = 0;
            if (!(events & SPIN_POLL_READ) || size == 0)
                spin_poll_change(the_poll, 0);
        }
        static void release(void *context) { (void)context, atomic_fetch_add(&released, 1); }
        static int32_t watch(spin_call *call, int32_t descriptor, uint64_t events) {
            the_call = call, the_descriptor = descriptor;
            return spin_poll_start(call, descriptor, events, ready, NULL, release, &the_poll);
        }
        SPIN_EFFECT(int32_t, watch, (spin_call *call, int32_t descriptor, uint64_t events), "");
        static int32_t watch_again(spin_call *call, int32_t descriptor) {
            return spin_poll_start(call, descriptor, SPIN_POLL_READ, ready, NULL, release, NULL);
        }
        SPIN_EFFECT(int32_t, watch_again, (spin_call *call, int32_t descriptor), "");
        static int32_t change(uint64_t events) { return spin_poll_change(the_poll, events); }
        SPIN_EFFECT(int32_t, change, (uint64_t events), "");
        static int32_t cancel(void) { return spin_poll_cancel(the_poll); }
        SPIN_EFFECT(int32_t, cancel, (void), "");
        static int32_t releases(void) { return atomic_load(&released); }
        SPIN_EFFECT(int32_t, releases, (void), "");
        """

    let host: TestHost
    let image: PluginImage
    let sink: RecordingSink
    let token: CallToken
    let pipe = Pipe()

    init() throws {
        host = try TestHost()
        image = try host.open(path: try PluginFixture.path(source: Self.source, as: "polls.c"))
        sink = RecordingSink(image)
        token = try host.services.begin(sink, for: image)
    }

    private func watch(_ events: UInt64 = PollEvents.read) throws {
        let descriptor = Int64(pipe.fileHandleForReading.fileDescriptor)
        #expect(try host.call(image, "watch", for: token, .int(descriptor), .int(Int64(events))) == .int(0))
    }

    private func write(_ text: String) { pipe.fileHandleForWriting.write(Data(text.utf8)) }

    private func result(_ effect: String, _ arguments: Value...) throws -> Value? {
        try arguments.isEmpty
            ? host.call(image, effect) : host.call(image, effect, arguments[0])
    }

    @Test func `the function is called while there is something to read, in order`() async throws {
        try watch()
        for (number, text) in ["a", "bb", "ccc"].enumerated() {
            write(text)
            await waitUntil { sink.heard.all.count == number + 1 }
        }
        #expect(
            sink.heard.all == [
                #"was_read {"bytes":"YQ==","events":1}"#, #"was_read {"bytes":"YmI=","events":1}"#,
                #"was_read {"bytes":"Y2Nj","events":1}"#,
            ])
        #expect(try result("releases") == .int(0))
    }

    @Test func `a paused poll reports nothing, not even the end of the other side`() async throws {
        try watch(0)
        write("a")
        try pipe.fileHandleForWriting.close()
        #expect(try result("change", .int(1)) == .int(0))
        await waitUntil { sink.heard.all.count == 1 }
        #expect(sink.heard.all == [#"was_read {"bytes":"YQ==","events":5}"#])
    }

    @Test func `a descriptor of a paused poll has no second one, which reports nothing`() async throws {
        try watch(0)
        write("a")
        let descriptor = Int64(pipe.fileHandleForReading.fileDescriptor)
        for _ in 0..<100 {
            #expect(
                try host.call(image, "watch_again", for: token, .int(descriptor))
                    == .int(Int64(SPIN_BAD_VALUE)))
        }
        await withCheckedContinuation { done in image.whenIdle { done.resume() } }
        #expect(sink.heard.all == [])
        #expect(try result("releases") == .int(0))
        #expect(try result("change", .int(1)) == .int(0))
        await waitUntil { sink.heard.all.count == 1 }
    }

    @Test func `a descriptor that can be written is reported once it is asked for`() async throws {
        let descriptor = Int64(pipe.fileHandleForWriting.fileDescriptor)
        #expect(try host.call(image, "watch", for: token, .int(descriptor), .int(2)) == .int(0))
        await waitUntil { sink.heard.all == ["is_writable {}"] }
    }

    @Test func `unknown events are refused, and the poll stays`() async throws {
        try watch()
        #expect(try result("change", .int(12)) == .int(Int64(SPIN_BAD_VALUE)))
        write("a")
        await waitUntil { sink.heard.all.count == 1 }
    }

    @Test(arguments: ["c", "f"])
    func `the function ends its own poll, and the context is released once`(_ text: String) async throws {
        try watch()
        write(text)
        try await waitUntil { try result("releases") == .int(1) }
        #expect(try result("cancel") == .int(Int64(SPIN_STOPPED)))
        #expect(try result("change", .int(1)) == .int(Int64(SPIN_STOPPED)))
        host.services.cancel(token)
        #expect(try result("releases") == .int(1))
    }

    @Test func `the end of the call ends its polls`() async throws {
        try watch()
        host.services.cancel(token)
        #expect(try result("releases") == .int(1))
        write("a")
        await withCheckedContinuation { done in image.whenIdle { done.resume() } }
        #expect(sink.heard.all == [])
    }

    @Test func `the thread lives as long as a poll`() async throws {
        func threads() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { task in
                let name = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
                return name?.hasPrefix("polls of thread") ?? false
            }
        }
        let source = Self.source.replacing("\"polls\"", with: "\"threaded\"")
        let image = try host.open(path: try PluginFixture.path(source: source, as: "threaded.c"))
        let descriptor = Int64(pipe.fileHandleForReading.fileDescriptor)
        for _ in 0..<3 {
            let token = try host.services.begin(sink, for: image)
            #expect(try host.call(image, "watch", for: token, .int(descriptor), .int(1)) == .int(0))
            try await waitUntil { try threads() == 1 }
            host.services.cancel(token)
            try await waitUntil { try threads() == 0 }
        }
    }

    @Test func `a function that crashes fails the call of a guarded plugin`() async throws {
        let path = try PluginFixture.path(source: Self.source, as: "polls.c")
        let image = try host.open(path: path, isGuarded: true)
        let sink = RecordingSink(image)
        let token = try host.services.begin(sink, for: image)
        let descriptor = Int64(pipe.fileHandleForReading.fileDescriptor)
        #expect(try host.call(image, "watch", for: token, .int(descriptor), .int(1)) == .int(0))
        write("0")
        await waitUntil { !host.services.isRunning(token) }
        await withCheckedContinuation { done in image.whenIdle { done.resume() } }
        #expect(sink.heard.all.count == 2)
        #expect(sink.heard.all.last?.hasPrefix("failed -1120") == true)
    }

    @Test func `when a cancellation meets a report, the context is released exactly once`() async throws {
        for round in 1...200 {
            let token = try host.services.begin(sink, for: image)
            let pipe = Pipe()
            let descriptor = Int64(pipe.fileHandleForReading.fileDescriptor)
            #expect(try host.call(image, "watch", for: token, .int(descriptor), .int(1)) == .int(0))
            async let cancelled: Void = host.services.cancel(token)
            pipe.fileHandleForWriting.write(Data("a".utf8))
            await cancelled
            try await waitUntil { try result("releases") == .int(Int64(round)) }
            await withCheckedContinuation { done in image.whenIdle { done.resume() } }
        }
        #expect(try result("releases") == .int(200))
    }
}
