import CRing
import HostLoop
import PluginHost
import Records

/// Reads the messages of the other process. One thread at a time reads; any thread may wait or wake.
// Safe because the owner lets one thread at a time read.
@safe
final class MessageReader: @unchecked Sendable {
    private let memory: SharedMemory
    private let ring: UnsafeMutablePointer<ring_reader>
    /// A message is copied to here before it is looked at: the other process may change it in the ring at any time.
    // Safe because one thread at a time reads.
    @exclusivity(unchecked) private var copy: UnsafeMutableRawBufferPointer

    /// The bit of a message's kind that says that long values follow it. They are read in the ring.
    static let lentMark = UInt32(1) << 31

    /// A copy of more bytes is freed after its message.
    private static let keptBytes = 1 << 16

    /// How often a thread looks for a message or an answer before it sleeps: for some 20 µs, and with one processor not
    /// at all.
    static let rounds: UInt32 = Processors.usable > 1 ? 600 : 0

    init(_ memory: SharedMemory, _ ring: RingNumber) {
        self.memory = memory
        unsafe self.ring = .allocate(capacity: 1)
        unsafe self.ring.initialize(to: ring_reader_of(memory.pointer, ring.rawValue))
        unsafe copy = .allocate(byteCount: 4096, alignment: 16)
    }

    deinit {
        unsafe ring.deallocate()
        unsafe copy.deallocate()
    }

    /// Calls `body` with the next message.
    ///
    /// - Returns: false if no message waits.
    /// - Throws: when the ring is damaged, and what `body` throws.
    func read(
        _ body: (_ kind: UInt32, _ message: inout ByteReader) throws(DamagedBytes) -> Void
    ) throws(DamagedBytes) -> Bool {
        var (kind, size) = (UInt32(0), 0)
        var bytes: UnsafePointer<UInt8>?
        switch Int(unsafe ring_read(ring, &kind, &bytes, &size)) {
        case RING_EMPTY: return false
        case RING_MESSAGE: break
        default: throw DamagedBytes("the ring of messages is damaged")
        }
        // Safe because the message lies in the ring until it is consumed, and the copy has room for what is copied.
        let place = unsafe UnsafeRawBufferPointer(start: bytes, count: size)
        let isLent = kind & Self.lentMark != 0
        defer { if isLent { unsafe ring_consume(ring) } }
        var message: ByteReader
        if isLent {
            guard let start = place.baseAddress, size >= MemoryLayout<UInt64>.size else {
                throw DamagedBytes("a message is too short")
            }
            // Read once: it may change in the ring.
            unsafe take(place.prefix(MemoryLayout<UInt64>.size))
            let own = unsafe copy.load(as: UInt64.self)
            let most = size - MemoryLayout<UInt64>.size
            guard own <= UInt64(most) else { throw DamagedBytes("a message is longer than its bytes") }
            let rest = unsafe UnsafeRawBufferPointer(start: start + MemoryLayout<UInt64>.size, count: most)
            unsafe take(rest.prefix(Int(own)))
            unsafe message = ByteReader(
                UnsafeRawBufferPointer(rebasing: copy[..<Int(own)]),
                lent: UnsafeRawBufferPointer(rebasing: rest[Int(own)...]))
        } else {
            unsafe take(place[...])
            unsafe ring_consume(ring)
            unsafe message = ByteReader(UnsafeRawBufferPointer(rebasing: copy[..<size]))
        }
        defer {
            if unsafe copy.count > Self.keptBytes {
                unsafe copy.deallocate()
                unsafe copy = .allocate(byteCount: 4096, alignment: 16)
            }
        }
        try body(kind & ~Self.lentMark, &message)
        return true
    }

    /// Copies bytes out of the ring.
    private func take(_ bytes: Slice<UnsafeRawBufferPointer>) {
        if unsafe bytes.count > copy.count {
            unsafe copy.deallocate()
            unsafe copy = .allocate(byteCount: bytes.count, alignment: 16)
        }
        unsafe copy.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes))
    }

    /// Waits until a message is there, or `wake` is called; it may return earlier. A thread looks before it sleeps.
    func wait() { if !spin(Self.rounds) { sleep() } }

    /// Looks so many times for a message; true if there is one.
    func spin(_ rounds: UInt32) -> Bool { unsafe ring_spin(ring, rounds) }

    private func sleep() { unsafe ring_sleep(ring) }

    /// Wakes the threads that sleep.
    func wake() { unsafe ring_ring(ring) }

    /// Lets the calling thread look for messages in place of the one that sleeps, until `handBack`.
    func takeOver() { unsafe ring_take_over(ring) }

    /// Lets the thread that sleeps hear of messages again.
    func handBack() { unsafe ring_hand_back(ring) }
}

extension Duration {
    /// The nearest number of nanoseconds that 64 bits can have.
    var wholeNanoseconds: Int64 {
        let limited = min(max(self, .seconds(-9_000_000_000)), .seconds(9_000_000_000))
        return limited.components.seconds * 1_000_000_000 + limited.components.attoseconds / 1_000_000_000
    }
}
