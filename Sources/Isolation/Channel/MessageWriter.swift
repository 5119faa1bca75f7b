import CRing
import HostLoop
import Records

/// Writes messages for the other process. May be used from any thread.
// Safe because the lock lets one thread at a time write.
@safe
final class MessageWriter: @unchecked Sendable {
    private let memory: SharedMemory
    // Safe because only the thread that holds the lock uses it, and this object frees it.
    private let ring: UnsafeMutablePointer<ring_writer>
    private let state = Lock(State())

    private struct State {
        var isClosed = false
        /// A message that is being written. Its memory is used again, so that a message allocates nothing.
        var body = ByteWriter()
    }

    /// What became of a message.
    enum Outcome: Sendable {
        case sent
        /// There is no room for it now.
        case noRoom
        /// It has more bytes than any message can have.
        case tooLong(Int)
    }

    /// The memory of a message of more bytes is freed after it.
    private static let keptBytes = 1 << 16

    init(_ memory: SharedMemory, _ ring: RingNumber) {
        self.memory = memory
        unsafe self.ring = .allocate(capacity: 1)
        unsafe self.ring.initialize(to: ring_writer_of(memory.pointer, ring.rawValue))
    }

    deinit { unsafe ring.deallocate() }

    /// The longest message in bytes.
    static var most: Int { Int(RING_MOST) }

    /// Writes a message.
    ///
    /// - Parameters:
    ///   - lending: copies long values of records into the ring without a copy in between. The reader must read all
    ///     that `write` writes as records.
    ///   - spare: how many bytes must stay free after it.
    ///   - write: writes its bytes, while no other thread can send. It calls nothing that sends.
    func send(
        _ kind: UInt32, lending: Bool = false, leaving spare: Int = 0, _ write: (ByteWriter) -> Void
    ) -> Outcome {
        state.withLock { state in
            guard !state.isClosed else { return .sent }
            let body = state.body
            body.isLending = lending
            write(body)
            defer { if body.count > Self.keptBytes { state.body = ByteWriter() } else { body.removeAll() } }
            guard unsafe body.lent.isEmpty else { return unsafe sendLent(kind, body, body.lent, spare) }
            let size = body.count
            guard size <= Self.most else { return .tooLong(size) }
            // Safe because the place has room for so many bytes.
            guard let place = unsafe ring_reserve(ring, size, spare) else { return .noRoom }
            unsafe body.withBytes { unsafe UnsafeMutableRawPointer(place).copy($0, to: 0) }
            unsafe ring_publish(ring, kind, size)
            return .sent
        }
    }

    /// Writes the size of the message without the long values, the message without them, then these.
    private func sendLent(
        _ kind: UInt32, _ body: ByteWriter, _ lent: [UnsafeRawBufferPointer], _ spare: Int
    ) -> Outcome {
        var end = MemoryLayout<UInt64>.size + body.count
        let size = unsafe lent.reduce(end) { $0 + $1.count }
        guard size <= Self.most else { return .tooLong(size) }
        // Safe because the place has room for so many bytes.
        guard let place = unsafe ring_reserve(ring, size, spare).map({ UnsafeMutableRawPointer($0) }) else {
            return .noRoom
        }
        unsafe place.storeBytes(of: UInt64(body.count), as: UInt64.self)
        unsafe body.withBytes { unsafe place.copy($0, to: MemoryLayout<UInt64>.size) }
        for index in unsafe lent.indices {
            unsafe place.copy(lent[index], to: end)
            unsafe end += lent[index].count
        }
        unsafe ring_publish(ring, kind | MessageReader.lentMark, size)
        return .sent
    }

    /// Writes a message, and waits for room as long as the other process lives.
    ///
    /// Only for a worker: the host ends a worker that does not read.
    ///
    /// - Parameters: as of `send`; `write` is called again for each attempt.
    /// - Returns: false if it is too long.
    @discardableResult
    func sendWaiting(_ kind: UInt32, lending: Bool = false, _ write: (ByteWriter) -> Void) -> Bool {
        while true {
            switch send(kind, lending: lending, write) {
            case .sent: return true
            case .tooLong: return false
            // Another thread may use the room that this one waits for.
            case .noRoom: unsafe ring_wait_for_room(ring, 10_000_000)
            }
        }
    }

    /// Writes nothing from now on.
    func close() { state.withLock { $0.isClosed = true } }
}

extension UnsafeMutableRawPointer {
    fileprivate func copy(_ bytes: UnsafeRawBufferPointer, to offset: Int) {
        if let start = bytes.baseAddress {
            unsafe (self + offset).copyMemory(from: start, byteCount: bytes.count)
        }
    }
}
