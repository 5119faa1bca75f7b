import Glibc

/// Memory that a C function writes into, between two areas of 4 KiB that detect writes outside of it.
@safe
final class GuardedBuffer {
    /// Size in bytes.
    let size: Int
    // Safe because the memory is the buffer's own and lives as long as it.
    private let memory: UnsafeMutableRawPointer

    private static let guardSize = 4096
    /// The content of the areas: bytes without a period that a program writes by chance, none of them 0 or
    /// 0xFF.
    // Safe because the pattern is written once, here.
    nonisolated(unsafe) private static let pattern: UnsafeRawPointer = {
        let made = UnsafeMutableRawPointer.allocate(byteCount: guardSize, alignment: 16)
        var state: UInt64 = 0x9e37_79b9_7f4a_7c15
        for offset in 0..<guardSize {
            // Marsaglia's xorshift64.
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            unsafe made.storeBytes(of: UInt8(state % 254) + 1, toByteOffset: offset, as: UInt8.self)
        }
        return UnsafeRawPointer(made)
    }()

    init(size: Int) {
        self.size = size
        // Safe because the memory has room for the buffer and both areas.
        unsafe memory = .allocate(byteCount: size + 2 * Self.guardSize, alignment: 16)
        unsafe memcpy(memory, Self.pattern, Self.guardSize)
        unsafe memcpy(memory + Self.guardSize + size, Self.pattern, Self.guardSize)
        clear()
    }

    // Safe because the areas and the buffer lie in one allocation that lives as long as the object.
    deinit { unsafe memory.deallocate() }

    /// The first byte, aligned to 16.
    var base: UnsafeMutableRawPointer { unsafe memory + Self.guardSize }

    /// Makes every byte 0.
    func clear() { unsafe memset(base, 0, size) }

    /// The number of overwritten bytes before and after the buffer, up to the farthest one. The areas are
    /// then restored.
    func takeOverrun() -> (before: Int, after: Int) {
        // Safe because both areas have the pattern's size.
        let (lower, upper) = unsafe (memory, base + size)
        guard
            unsafe memcmp(lower, Self.pattern, Self.guardSize) != 0
                || memcmp(upper, Self.pattern, Self.guardSize) != 0
        else { return (0, 0) }
        func isIntact(_ area: UnsafeMutableRawPointer, _ offset: Int) -> Bool {
            unsafe area.load(fromByteOffset: offset, as: UInt8.self)
                == Self.pattern.load(fromByteOffset: offset, as: UInt8.self)
        }
        let first = (0..<Self.guardSize).first { unsafe !isIntact(lower, $0) } ?? Self.guardSize
        let last = (0..<Self.guardSize).last { unsafe !isIntact(upper, $0) } ?? -1
        unsafe memcpy(lower, Self.pattern, Self.guardSize)
        unsafe memcpy(upper, Self.pattern, Self.guardSize)
        return (Self.guardSize - first, last + 1)
    }
}
