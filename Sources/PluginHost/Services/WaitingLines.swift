import CForeignCall

/// Memory for lines that are written later. The report of a crash writes them, too.
@safe
final class WaitingLines: Sendable {
    static let capacity = 1 << 16

    // Safe because one thread at a time uses it, and it is freed with its owner.
    private nonisolated(unsafe) let bytes = UnsafeMutableRawPointer.allocate(
        byteCount: capacity, alignment: 16)
    // How many bytes wait, for the report of a crash.
    // Safe because one thread at a time writes to it, and it is freed with its owner.
    private nonisolated(unsafe) let size = UnsafeMutablePointer<Int>.allocate(capacity: 1)

    /// - Parameter descriptor: where a crash writes what waits.
    init(of descriptor: Int32) {
        unsafe size.initialize(to: 0)
        unsafe foreign_report_output(descriptor, bytes, size)
    }

    deinit {
        foreign_report_output(-1, nil, nil)
        unsafe bytes.deallocate()
        unsafe size.deallocate()
    }

    /// Adds a line and a line end behind the bytes that wait; how many wait then.
    ///
    /// - Precondition: there is room for them.
    func add(_ line: [UInt8], behind count: Int) -> Int {
        let end = count + line.count
        precondition(end < Self.capacity, "a line that does not fit is written at once")
        // Safe because there is room.
        unsafe line.withUnsafeBytes { line in
            if let start = line.baseAddress {
                unsafe (bytes + count).copyMemory(from: start, byteCount: line.count)
            }
        }
        unsafe bytes.storeBytes(of: UInt8(ascii: "\n"), toByteOffset: end, as: UInt8.self)
        unsafe foreign_output_set(size, end + 1)
        return end + 1
    }

    /// No bytes wait any more.
    func removeAll() { unsafe foreign_output_set(size, 0) }

    /// The bytes that wait. Valid until the next change.
    func view(_ count: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: bytes, count: count)
    }
}
