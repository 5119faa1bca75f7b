#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Record storage that also retains an object for as long as the storage exists.
/// A pointer to the object follows the record's bytes.
final class KeepingRecordStorage: RecordStorage {
    /// Makes a copy of `storage` that retains `object`. A later copy of the result does not retain it.
    static func make(_ storage: RecordStorage, keeping object: AnyObject) -> KeepingRecordStorage {
        let type = storage.header
        let made = KeepingRecordStorage.create(minimumCapacity: words(of: type) + 1) { _ in type }
        let keeping = unsafe unsafeDowncast(made, to: KeepingRecordStorage.self)
        // Safe because both have the type's size. The new storage retains the blocks and the object.
        unsafe memcpy(keeping.base, storage.base, type.size)
        if !type.isTrivial { unsafe ValueMemory.retain(keeping.base, as: type) }
        unsafe keeping.objectSlot.storeBytes(
            of: Unmanaged.passRetained(object).toOpaque(), as: UnsafeMutableRawPointer.self)
        return keeping
    }

    /// The retained object.
    var object: AnyObject {
        // Safe because the slot holds a retained object.
        unsafe Unmanaged<AnyObject>.fromOpaque(objectSlot.load(as: UnsafeMutableRawPointer.self))
            .takeUnretainedValue()
    }

    private static func words(of type: RecordType) -> Int { (type.size + 7) / 8 }

    private var objectSlot: UnsafeMutableRawPointer {
        // Safe because the storage has one element more than the record needs.
        unsafe base + 8 * Self.words(of: header)
    }

    deinit {
        // Safe because the storage owns this reference to the object.
        unsafe Unmanaged<AnyObject>.fromOpaque(objectSlot.load(as: UnsafeMutableRawPointer.self)).release()
    }
}
