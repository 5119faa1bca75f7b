#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Bytes that grow at their end. The memory is kept when the writer is emptied, so a writer that is used again
/// allocates nothing.
///
/// A number is a varint: seven bits a byte, the lowest first, the top bit set in all bytes except the last
/// (LEB128, at most ten bytes). A signed number is mapped to an unsigned one first: 0, -1, 1, -2 become 0, 1,
/// 2, 3 (zigzag).
// Safe because one owner uses it at a time, and no address of its memory leaves it.
@safe
public final class ByteWriter: @unchecked Sendable {
    // A check for exclusive access at each byte would cost more than the byte.
    // Safe because one owner uses the writer at a time.
    @usableFromInline @exclusivity(unchecked) var base: UnsafeMutableRawPointer
    @usableFromInline @safe @exclusivity(unchecked) var capacity: Int
    @usableFromInline @safe @exclusivity(unchecked) var size = 0

    /// Whether long values stay where they are: `lent` has them then, and the writer only their sizes. Their owner keeps
    /// them until the writer is emptied.
    @safe @exclusivity(unchecked) package var isLending = false
    /// The long values, in order.
    // Safe because the writer does not read them.
    @exclusivity(unchecked) package private(set) var lent: [UnsafeRawBufferPointer] = unsafe []
    /// A value of so many bytes is long.
    package static let long = 1 << 14

    /// The number of bytes.
    @inlinable public var count: Int { size }

    /// An empty writer with room for so many bytes, which grows when needed.
    public init(capacity: Int = 256) {
        self.capacity = max(capacity, 16)
        unsafe base = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit { unsafe base.deallocate() }

    /// Removes all bytes.
    public func removeAll() {
        size = 0
        if isLending { unsafe lent.removeAll(keepingCapacity: true) }
    }

    /// A copy of the bytes.
    public var bytes: [UInt8] { unsafe [UInt8](UnsafeRawBufferPointer(start: base, count: self.size)) }

    /// Calls `body` with the bytes. Their address is valid until it returns.
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe try body(UnsafeRawBufferPointer(start: base, count: self.size))
    }

    /// Appends one byte.
    @inlinable @inline(__always)
    public func put(byte: UInt8) {
        reserve(1)
        unsafe base.storeBytes(of: byte, toByteOffset: self.size, as: UInt8.self)
        self.size += 1
    }

    /// Appends a number.
    @inlinable @inline(__always)
    public func put(_ number: UInt64) {
        if number < 0x80 { put(byte: UInt8(truncatingIfNeeded: number)) } else { putLong(number) }
    }

    /// Appends a number that is not negative.
    @inlinable @inline(__always)
    public func put(count number: Int) { put(UInt64(number)) }

    /// Appends a signed number.
    @inlinable @inline(__always)
    public func put(signed number: Int64) {
        put(UInt64(bitPattern: (number << 1) ^ (number >> 63)))
    }

    /// Appends the bytes of a number of fixed width, the lowest first.
    public func put<Number: FixedWidthInteger>(fixed number: Number) {
        let size = MemoryLayout<Number>.size
        reserve(size)
        // Safe because there is room for the number.
        unsafe base.storeBytes(of: number.littleEndian, toByteOffset: self.size, as: Number.self)
        self.size += size
    }

    /// Appends bytes without their number.
    public func put(raw bytes: UnsafeRawBufferPointer) {
        reserve(bytes.count)
        // Safe because there is room, and an empty buffer may have no address.
        if let start = bytes.baseAddress { unsafe memcpy(base + self.size, start, bytes.count) }
        self.size += bytes.count
    }

    /// Appends the number of bytes, then the bytes.
    public func put(_ bytes: UnsafeRawBufferPointer) {
        put(count: bytes.count)
        unsafe put(raw: bytes)
    }

    /// Appends the number of bytes of a value, then the bytes, unless they are lent.
    func put(value bytes: UnsafeRawBufferPointer) {
        guard isLending, bytes.count >= Self.long else { return unsafe put(bytes) }
        put(count: bytes.count)
        unsafe lent.append(bytes)
    }

    /// Appends the number of bytes, then the bytes.
    public func put(_ bytes: [UInt8]) { unsafe bytes.withUnsafeBytes { unsafe put($0) } }

    /// Appends a text as the number of its bytes in UTF-8, then these.
    public func put(_ text: String) {
        var text = text
        text.withUTF8 { unsafe put(UnsafeRawBufferPointer($0)) }
    }

    /// Adds bytes, and returns where they are. They have no value yet, and stay there until more are added.
    @inlinable @inline(__always)
    package func add(_ size: Int) -> UnsafeMutableRawPointer {
        reserve(size)
        defer { self.size += size }
        return unsafe base + self.size
    }

    /// Appends zeros until the number of bytes is a multiple of `unit`, a power of two.
    package func pad(to unit: Int) {
        let missing = -size & (unit - 1)
        // Safe because the bytes are those that were added.
        unsafe memset(add(missing), 0, missing)
    }

    /// Writes a value over bytes that were appended.
    @inlinable @inline(__always)
    package func replace<Value: BitwiseCopyable>(at offset: Int, by value: Value) {
        precondition(offset + MemoryLayout<Value>.size <= size)
        // Safe because the bytes are there.
        unsafe base.storeBytes(of: value, toByteOffset: offset, as: Value.self)
    }

    @usableFromInline @inline(never)
    func putLong(_ number: UInt64) {
        reserve(10)
        var rest = number
        while rest >= 0x80 {
            unsafe base.storeBytes(
                of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: self.size, as: UInt8.self)
            self.size += 1
            rest >>= 7
        }
        unsafe base.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: self.size, as: UInt8.self)
        self.size += 1
    }

    @inlinable @inline(__always)
    func reserve(_ size: Int) {
        if capacity - self.size < size { grow(by: size) }
    }

    @usableFromInline @inline(never)
    func grow(by size: Int) {
        capacity = max(capacity * 2, self.size + size)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        // Safe because the larger memory has room for the bytes.
        unsafe memcpy(larger, base, self.size)
        unsafe base.deallocate()
        unsafe base = larger
    }
}
