import CForeignCall

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The memory of one record: its bytes in C layout. It owns the blocks that they point to.
///
/// It is a class, so that `isKnownUniquelyReferenced` can decide whether a record may change in place.
@usableFromInline
class RecordStorage: ManagedBuffer<RecordType, UInt64> {
    /// Makes storage with every field at its zero value.
    static func make(_ type: RecordType) -> RecordStorage {
        let made = uninitialized(type)
        // Safe because the memory has the type's size.
        unsafe ValueMemory.initialize(made.base, as: type)
        return made
    }

    /// Makes a copy that shares strings, bytes and lists with this storage.
    @usableFromInline
    final func copy() -> RecordStorage {
        let made = RecordStorage.uninitialized(header)
        // Safe because both have the type's size, and the copy retains the blocks.
        unsafe memcpy(made.base, base, header.size)
        if !header.isTrivial { unsafe ValueMemory.retain(made.base, as: header) }
        return made
    }

    private final class func uninitialized(_ type: RecordType) -> RecordStorage {
        // Elements of type `UInt64` give 8-byte alignment, the largest that a record needs.
        let made = RecordStorage.create(minimumCapacity: (type.size + 7) / 8) { _ in type }
        return unsafe unsafeDowncast(made, to: RecordStorage.self)
    }

    /// The address of the first byte.
    @inlinable final var base: UnsafeMutableRawPointer {
        // Safe because the elements are tail-allocated: they live as long as the object.
        unsafe withUnsafeMutablePointerToElements { elements in UnsafeMutableRawPointer(elements) }
    }

    /// The type of the record. It never changes, so reading it needs no check for exclusive access.
    @inlinable final var type: RecordType {
        // Safe because the header lives as long as the object and is never written.
        unsafe withUnsafeMutablePointerToHeader { header in unsafe header.pointee }
    }

    deinit {
        if !header.isTrivial {
            // Safe because the storage has no owner left.
            unsafe ValueMemory.destroy(base, as: header)
        }
    }
}
