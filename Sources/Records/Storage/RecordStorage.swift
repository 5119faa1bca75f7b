import CForeignCall

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The memory of one record: its bytes in C layout, and the ownership of what they point to.
///
/// A plain object, so that `isKnownUniquelyReferenced` decides whether a record may change in place.
@usableFromInline
class RecordStorage: ManagedBuffer<RecordType, UInt64> {
    /// Storage with every field at its zero value.
    static func make(_ type: RecordType) -> RecordStorage {
        let made = uninitialized(type)
        // Safe because the memory has the type's size.
        unsafe ValueMemory.initialize(made.base, as: type)
        return made
    }

    /// A copy that shares strings, bytes and lists with this one.
    @usableFromInline
    final func copy() -> RecordStorage {
        let made = RecordStorage.uninitialized(header)
        // Safe because both have the type's size, and the blocks are retained for the second owner.
        unsafe memcpy(made.base, base, header.size)
        if !header.isTrivial { unsafe ValueMemory.retain(made.base, as: header) }
        return made
    }

    private final class func uninitialized(_ type: RecordType) -> RecordStorage {
        // `UInt64` elements give the alignment of the most aligned type.
        let made = RecordStorage.create(minimumCapacity: (type.size + 7) / 8) { _ in type }
        return unsafe unsafeDowncast(made, to: RecordStorage.self)
    }

    /// The first byte.
    @inlinable final var base: UnsafeMutableRawPointer {
        // Safe because the elements are tail-allocated: they live as long as the object.
        unsafe withUnsafeMutablePointerToElements { elements in UnsafeMutableRawPointer(elements) }
    }

    /// The shape of the record, read without a check for exclusive access: it never changes.
    @inlinable final var type: RecordType {
        // Safe because the header lives as long as the object, and nobody writes it.
        unsafe withUnsafeMutablePointerToHeader { header in unsafe header.pointee }
    }

    deinit {
        if !header.isTrivial {
            // Safe because this was the last owner.
            unsafe ValueMemory.destroy(base, as: header)
        }
    }
}
