import CRing
import Glibc
import Testing

/// Both ends of one ring in shared memory, as the host and a worker have them.
// Safe because one test uses it on one thread, and it unmaps the memory at its end.
@safe
final class Ring {
    /// The places of what the memory begins with: see `ring_control`.
    enum Place: Int { case tail = 0, head = 64 }

    /// What a look at the ring has found.
    enum Look: Equatable { case empty, damaged, message(kind: UInt32, [UInt8]) }

    static let capacity = Int(RING_CAPACITY)
    static let most = Int(RING_MOST)
    /// The bytes that each message takes besides its own.
    static let head = 8

    private let memory: OpaquePointer
    private var writer: ring_writer
    private var reader: ring_reader
    /// The bytes that were written, with the heads of the messages.
    private(set) var written = 0

    init() throws {
        let file = ring_memory_create()
        defer { close(file) }
        unsafe memory = try #require(ring_memory_map(file))
        unsafe (writer, reader) = (ring_writer_of(memory, 1), ring_reader_of(memory, 1))
    }

    deinit { unsafe ring_memory_unmap(memory) }

    /// Writes a message that has `byte` at both ends; false if there is no room.
    func write(_ size: Int, kind: UInt32 = 7, byte: UInt8 = 0, leaving spare: Int = 0) -> Bool {
        guard let place = unsafe ring_reserve(&writer, size, spare) else { return false }
        // Safe because the place has room for so many bytes.
        if size > 0 { unsafe (place[0], place[size - 1]) = (byte, byte) }
        unsafe ring_publish(&writer, kind, size)
        written += Self.head + (size + 7) / 8 * 8
        return true
    }

    /// Writes a message of these bytes; false if there is no room.
    func write(_ bytes: [UInt8], kind: UInt32 = 7) -> Bool {
        guard let place = unsafe ring_reserve(&writer, bytes.count, 0) else { return false }
        // Safe because the place has room for so many bytes.
        unsafe bytes.withUnsafeBufferPointer { bytes in
            if let start = bytes.baseAddress { unsafe place.update(from: start, count: bytes.count) }
        }
        unsafe ring_publish(&writer, kind, bytes.count)
        return true
    }

    /// Reads a message, and frees it.
    func read() -> Look {
        var (kind, size) = (UInt32(0), 0)
        var bytes: UnsafePointer<UInt8>?
        switch Int(unsafe ring_read(&reader, &kind, &bytes, &size)) {
        case RING_EMPTY: return .empty
        case RING_MESSAGE: break
        default: return .damaged
        }
        // Safe because the message lies there until it is freed, and is copied.
        let copy = unsafe Array(UnsafeBufferPointer(start: bytes, count: size))
        unsafe ring_consume(&reader)
        return .message(kind: kind, copy)
    }

    /// Reads a message, and frees it.
    ///
    /// - Returns: its size and the byte at both ends; nil if there is no message, or its ends differ.
    func readEnds() -> (size: Int, byte: UInt8)? {
        guard case .message(_, let bytes) = read(), bytes.first == bytes.last else { return nil }
        return (bytes.count, bytes.first ?? 0)
    }

    /// Changes a position as a wild process could.
    func change(_ place: Place, to position: UInt64) {
        // The controls of the second ring follow those of the first.
        let bytes = unsafe withUnsafeBytes(of: position) { unsafe Array($0) }
        scribble(bytes, at: 256 + place.rawValue)
    }

    func scribble(_ bytes: [UInt8], at offset: Int) {
        unsafe bytes.withUnsafeBytes { unsafe ring_scribble(memory, offset, $0.baseAddress, bytes.count) }
    }

    /// Changes the head of the message at a place of the ring as a wild process could.
    func changeHead(at place: Int, size: UInt32) {
        // Safe because the place lies in the ring.
        let offset = unsafe UnsafeRawPointer(writer.data) - UnsafeRawPointer(memory)
        let bytes = unsafe withUnsafeBytes(of: size) { unsafe Array($0) }
        scribble(bytes, at: offset + place)
    }

    /// The bytes of memory that the ring's pages take now.
    var resident: Int {
        let page = sysconf(Int32(_SC_PAGESIZE))
        var pages = [UInt8](repeating: 0, count: Self.capacity / page)
        // Safe because there is a byte for each page.
        let answer = unsafe mincore(writer.data, Self.capacity, &pages)
        #expect(answer == 0)
        return pages.count { $0 & 1 == 1 } * page
    }
}
