import CForeignCall
import Glibc

/// The memory of one loaded library, in which its table must lie. A wrong pointer in a table is found here.
package struct ImageMemory: Sendable {
    package struct Segment: Sendable {
        let range: Range<UInt>
        let isWritable: Bool

        package init(range: Range<UInt>, isWritable: Bool) {
            (self.range, self.isWritable) = (range, isWritable)
        }
    }

    private let segments: [Segment]

    package init(segments: [Segment]) { self.segments = segments }

    /// The memory of the library behind a handle of the dynamic loader.
    init(ofLibrary handle: UnsafeMutableRawPointer) {
        // Safe because the function stores at most as many segments as there is room for.
        let count = unsafe foreign_image_segments(handle, nil, 0)
        var found = unsafe [foreign_segment](repeating: foreign_segment(), count: count)
        let stored = unsafe found.withUnsafeMutableBufferPointer { buffer in
            unsafe foreign_image_segments(handle, buffer.baseAddress, buffer.count)
        }
        segments = unsafe found.prefix(stored).map { segment in
            let start = unsafe UInt(bitPattern: segment.start)
            return unsafe Segment(
                range: start..<start + UInt(segment.size), isWritable: segment.is_writable)
        }
    }

    /// All of the process, for a plugin that is linked into it.
    static let process = ImageMemory(segments: [Segment(range: 1..<UInt.max, isWritable: true)])

    /// Whether `size` bytes at the address can be read, and written if `writing`.
    func contains(_ address: UnsafeRawPointer, _ size: Int, writing: Bool = false) -> Bool {
        let start = UInt(bitPattern: address)
        return segments.contains { segment in
            segment.range.contains(start) && segment.range.upperBound - start >= UInt(size)
                && (segment.isWritable || !writing)
        }
    }

    /// The NUL-terminated text at the address; nil if it does not end in this memory, or is not UTF-8.
    func text(_ address: UnsafePointer<CChar>?) -> String? {
        guard let address = unsafe address else { return "" }
        let start = UInt(bitPattern: address)
        guard let segment = segments.first(where: { $0.range.contains(start) }) else { return nil }
        let room = Int(min(segment.range.upperBound - start, UInt(Int.max)))
        // Safe because the text is looked for in the segment only.
        let count = unsafe strnlen(address, room)
        guard count < room else { return nil }
        let bytes = unsafe UnsafeRawBufferPointer(start: UnsafeRawPointer(address), count: count)
        return unsafe String(validating: bytes, as: UTF8.self)
    }

    /// Copies a struct that begins with its size, as far as writer and reader know its members.
    ///
    /// - Parameters:
    ///   - value: zeros, which stay where the struct is shorter.
    ///   - least: the size in the first version of the ABI that had the struct.
    /// - Returns: whether the struct lies in this memory and is not shorter than `least`.
    func copy<Value: BitwiseCopyable>(
        _ address: UnsafeRawPointer, into value: inout Value, least: Int
    ) -> Bool {
        let alignment = UInt(MemoryLayout<Value>.alignment)
        guard UInt(bitPattern: address) % alignment == 0, unsafe contains(address, least) else {
            return false
        }
        // Safe because the memory was checked.
        let size = unsafe Int(address.load(as: UInt32.self))
        guard size >= least, unsafe contains(address, size) else { return false }
        unsafe withUnsafeMutableBytes(of: &value) { bytes in
            unsafe bytes.copyMemory(
                from: UnsafeRawBufferPointer(start: address, count: min(size, bytes.count)))
        }
        return true
    }
}
