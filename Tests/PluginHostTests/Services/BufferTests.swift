import CPluginABI
import HostLoop
import Interfaces
@testable import PluginHost
import Records
import TestSupport
import Testing

/// Bytes that pass the border without a copy.
@Suite struct BufferTests {
    private static let source = """
        #include <spinhost/plugin.h>
        #include <string.h>
        SPIN_PLUGIN("buffers", "1");
        SPIN_EMITTER(frame, (spin_bytes, bytes));
        static uint8_t *made;
        static const uint8_t *kept;
        static uint64_t make(uint64_t size) {
            made = spin_buffer_alloc(size);
            if (made)
                memset(made, 7, size);
            return (uint64_t)made;
        }
        SPIN_EFFECT(uint64_t, make, (uint64_t size), "");
        static int32_t give(spin_call *call, uint64_t offset, uint64_t size) {
            return frame(call, (spin_bytes){made + offset, size});
        }
        SPIN_EFFECT(int32_t, give, (spin_call *call, uint64_t offset, uint64_t size), "");
        static int32_t let_go(void) { return spin_buffer_release(made); }
        SPIN_EFFECT(int32_t, let_go, (void), "");
        static int32_t hold_on(void) { return spin_buffer_retain(NULL, made); }
        SPIN_EFFECT(int32_t, hold_on, (void), "");
        static int32_t keep(spin_call *call, spin_bytes bytes) {
            kept = bytes.data;
            return spin_buffer_retain(call, bytes.data);
        }
        SPIN_EFFECT(int32_t, keep, (spin_call *call, spin_bytes bytes), "");
        static int32_t give_kept(spin_call *call, uint64_t size) { return frame(call, (spin_bytes){kept, size}); }
        SPIN_EFFECT(int32_t, give_kept, (spin_call *call, uint64_t size), "");
        static int32_t drop_kept(void) { return spin_buffer_release(kept); }
        SPIN_EFFECT(int32_t, drop_kept, (void), "");
        """

    /// Keeps the bytes that it gets, as a loop's state does, and says what its call was given.
    private final class Sink: CallSink {
        let kept = Collected<Record>()
        let type: RecordType
        let call = Lock<PreparedCall?>(nil)

        init(_ image: PluginImage) throws { type = try #require(image.description?.emitter("frame")).payload }

        func emitted(emitter: String, payload: UnsafeRawPointer, wait: EmissionWait) -> Int32 {
            var record = Record(type)
            // Safe because the payload is a record of the type.
            unsafe ValueMemory.assign(record.unsafeMutableBase(), from: payload, as: .record(type))
            kept.append(record)
            return SPIN_OK
        }
        func isArgument(_ data: UnsafeRawPointer) -> Bool {
            // Safe because the call is kept.
            call.withLock { unsafe $0?.hasArgument(data) ?? false }
        }
        func rejected(emitter: String?, reason: String) {}
        func finished() {}
        func failed(code: Int32, text: String) {}

        /// Where the bytes of the last emission lie.
        var address: UInt? {
            // Safe because the first field is of type `bytes`.
            kept.all.last.map { unsafe $0.unsafeBase.load(as: UInt.self) }
        }
    }

    let host: TestHost
    let image: PluginImage
    private let sink: Sink
    let token: CallToken

    init() throws {
        host = try TestHost()
        image = try host.open(path: try PluginFixture.path(source: Self.source, as: "buffers.c"))
        sink = try Sink(image)
        token = try host.services.begin(sink, for: image)
    }

    private func make(_ size: Int64) throws -> UInt? {
        switch try host.call(image, "make", .int(size)) {
        case .int(let address): UInt(address)
        case .uint(let address): UInt(address)
        default: nil
        }
    }

    private func give(_ offset: Int64, _ size: Int64) throws -> Value? {
        try host.call(image, "give", for: token, .int(offset), .int(size))
    }

    @Test func `large bytes are shared, and outlive the plugin's reference`() throws {
        let made = try make(10_000)
        #expect(try give(0, 10_000) == .int(0))
        #expect(try give(0, 5_000) == .int(0))
        #expect(sink.address == made)
        #expect(try host.call(image, "let_go") == .int(0))
        #expect(try host.call(image, "let_go") == .int(Int64(SPIN_BAD_VALUE)))
        #expect(
            sink.kept.all.map { $0["bytes"] }
                == [10_000, 5_000].map { .bytes([UInt8](repeating: 7, count: $0)) })
    }

    @Test(arguments: [(0, 100), (8, 9_000), (0, 4_095)])
    func `small bytes, and bytes that do not begin at the start, are copied`(_ offset: Int64, _ size: Int64)
        throws
    {
        let made = try make(10_000)
        #expect(try give(offset, size) == .int(0))
        #expect(sink.address != made)
        #expect(sink.kept.all[0]["bytes"] == .bytes([UInt8](repeating: 7, count: Int(size))))
        #expect(try host.call(image, "let_go") == .int(0))
    }

    @Test(arguments: [0, Int64(1) << 30 + 1, .max])
    func `no bytes and too many are refused`(_ size: Int64) throws { #expect(try make(size) == 0) }

    @Test func `each reference is given back by itself`() throws {
        _ = try make(10_000)
        #expect(try host.call(image, "hold_on") == .int(0))
        #expect(try host.call(image, "let_go") == .int(0))
        #expect(try give(0, 10_000) == .int(0))
        #expect(try host.call(image, "let_go") == .int(0))
        #expect(try host.call(image, "hold_on") == .int(Int64(SPIN_BAD_VALUE)))
    }

    @Test func `a plugin keeps an argument longer than its call, and emits it without a copy`() throws {
        let bytes = [UInt8](repeating: 3, count: 20_000)
        let function = try #require(image.description?.effect("keep")).function
        var call = Optional(
            try prepare(
                function, at: try image.effect("keep"), [.value(.bytes(bytes))], token: token))
        sink.call.withLock { $0 = call }
        try call?.invoke()
        #expect(call.map { outcome($0)["result"] } == .int(0))
        // Safe because the first input is of type `bytes`.
        let address = call.map { unsafe $0.inputAddress(0).load(as: UInt.self) }
        sink.call.withLock { $0 = nil }
        call = nil
        #expect(try host.call(image, "give_kept", for: token, .int(20_000)) == .int(0))
        #expect(sink.address == address)
        #expect(sink.kept.all[0]["bytes"] == .bytes(bytes))
        #expect(try host.call(image, "drop_kept") == .int(0))
        #expect(try host.call(image, "drop_kept") == .int(Int64(SPIN_BAD_VALUE)))
    }

    @Test func `more bytes than a kept argument has are not shared`() throws {
        let owner: UInt = 1
        let buffers = PluginBuffers()
        guard let memory = unsafe buffers.allocate(5_000, for: owner) else {
            Issue.record("there is memory")
            return
        }
        let value = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 8)
        defer { unsafe value.deallocate() }
        unsafe ValueMemory.initialize(value, as: .bytes)
        #expect(unsafe !buffers.share(UnsafeRawBufferPointer(start: memory, count: 5_001), to: value))
        #expect(unsafe buffers.share(UnsafeRawBufferPointer(start: memory, count: 5_000), to: value))
        buffers.releaseAll(of: owner)
        #expect(buffers.count(of: owner) == 0)
        #expect(unsafe !buffers.share(UnsafeRawBufferPointer(start: memory, count: 5_000), to: value))
        unsafe ValueMemory.destroy(value, as: .bytes)
    }
}
