/// Reads what a `ByteWriter` has written, from bytes that may be damaged.
///
/// It never reads beyond the bytes. It is valid only while its owner keeps the bytes.
// Safe because every read checks the bounds first.
@safe
public struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    /// What is left of the long values that a writer has lent.
    private var lent = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    /// The number of bytes that were read.
    public private(set) var offset = 0

    /// Reads these bytes, which the caller keeps as long as it reads.
    public init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

    /// Reads these bytes, and the long values that their writer has lent, one after another. The memory of those may
    /// change at any time: each is read once.
    package init(_ bytes: UnsafeRawBufferPointer, lent: UnsafeRawBufferPointer) {
        unsafe (self.bytes, self.lent) = (bytes, lent)
    }

    /// Calls `body` with a reader of these bytes.
    public static func read<Result, Failure: Error>(
        _ bytes: [UInt8], _ body: (inout ByteReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Safe because the bytes exist until `body` returns.
        unsafe try bytes.withUnsafeBufferPointer { bytes throws(Failure) in
            var reader = unsafe ByteReader(UnsafeRawBufferPointer(bytes))
            return try body(&reader)
        }
    }

    /// The number of bytes that are left.
    public var rest: Int { unsafe bytes.count - offset }

    /// Whether all bytes were read.
    public var isAtEnd: Bool { rest == 0 }

    /// Reads one byte.
    @inline(__always)
    public mutating func byte() throws(DamagedBytes) -> UInt8 {
        guard unsafe offset < bytes.count else { throw DamagedBytes("the bytes end too early") }
        defer { offset += 1 }
        return unsafe bytes[offset]
    }

    /// Reads a number.
    @inline(__always)
    public mutating func number() throws(DamagedBytes) -> UInt64 {
        let first = try byte()
        return first < 0x80 ? UInt64(first) : try long(UInt64(first & 0x7f))
    }

    /// Reads a signed number.
    @inline(__always)
    public mutating func signed() throws(DamagedBytes) -> Int64 {
        let number = try number()
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    /// Reads a number of things that each take at least one byte.
    public mutating func count() throws(DamagedBytes) -> Int {
        let number = try number()
        guard number <= UInt64(rest) else { throw DamagedBytes("\(number) is beyond \(rest)") }
        return Int(number)
    }

    /// Reads a number that is at most `most`.
    public mutating func number(upTo most: Int) throws(DamagedBytes) -> Int {
        let number = try number()
        guard number <= UInt64(most) else { throw DamagedBytes("\(number) is beyond \(most)") }
        return Int(number)
    }

    /// Reads an index into a collection of `count` elements.
    public mutating func index(below count: Int) throws(DamagedBytes) -> Int {
        guard count > 0 else { throw DamagedBytes("there is nothing to choose from") }
        return try number(upTo: count - 1)
    }

    /// Reads a number of fixed width.
    public mutating func fixed<Number: FixedWidthInteger>(
        _ type: Number.Type = Number.self
    ) throws(DamagedBytes) -> Number {
        let bytes = unsafe try raw(MemoryLayout<Number>.size)
        return unsafe Number(littleEndian: bytes.loadUnaligned(as: Number.self))
    }

    /// Reads `count` bytes, without a copy: they are those that the reader was made for.
    public mutating func raw(_ count: Int) throws(DamagedBytes) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= rest else { throw DamagedBytes("the bytes end too early") }
        defer { offset += count }
        return unsafe UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    /// Reads a number of bytes, then these.
    public mutating func blob() throws(DamagedBytes) -> UnsafeRawBufferPointer {
        let count = try count()
        return unsafe try raw(count)
    }

    /// Reads the bytes of a value, which may be lent.
    mutating func value() throws(DamagedBytes) -> UnsafeRawBufferPointer {
        guard unsafe !lent.isEmpty else { return unsafe try blob() }
        let number = try number()
        guard number >= UInt64(ByteWriter.long) else { return unsafe try raw(Int(number)) }
        guard unsafe number <= UInt64(lent.count) else { throw DamagedBytes("the bytes end too early") }
        defer { unsafe lent = UnsafeRawBufferPointer(rebasing: lent[Int(number)...]) }
        return unsafe UnsafeRawBufferPointer(rebasing: lent[..<Int(number)])
    }

    /// Reads a text.
    ///
    /// - Throws: also when it is not UTF-8.
    public mutating func text() throws(DamagedBytes) -> String {
        let bytes = unsafe try blob()
        guard let text = unsafe String(validating: bytes, as: UTF8.self) else {
            throw DamagedBytes("a text is not UTF-8")
        }
        return text
    }

    private mutating func long(_ low: UInt64) throws(DamagedBytes) -> UInt64 {
        var (number, shift) = (low, UInt64(7))
        while true {
            let next = try byte()
            let bits = UInt64(next & 0x7f)
            guard shift < 63 || bits <= 1 else { throw DamagedBytes("a number has more than 64 bits") }
            number |= bits << shift
            if next < 0x80 { return number }
            shift += 7
            guard shift < 64 else { throw DamagedBytes("a number has more than 64 bits") }
        }
    }
}

/// Bytes that no `ByteWriter` has written so, or that belong to another type.
public struct DamagedBytes: Error, Hashable, CustomStringConvertible {
    /// What is wrong, for people.
    public let description: String

    /// - Parameter description: lower case, without a full stop.
    public init(_ description: String) { self.description = description }
}
