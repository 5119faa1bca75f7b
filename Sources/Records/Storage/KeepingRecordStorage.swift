#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Storage that keeps an object for as long as it lives itself. The object stands behind the record's bytes.
final class KeepingRecordStorage: RecordStorage {
    /// A copy of `storage` that keeps `object`; copies of it do not.
    static func make(_ storage: RecordStorage, keeping object: AnyObject) -> KeepingRecordStorage {
        let type = storage.header
        let made = KeepingRecordStorage.create(minimumCapacity: words(of: type) + 1) { _ in type }
        let keeping = unsafe unsafeDowncast(made, to: KeepingRecordStorage.self)
        // Safe because both have the type's size, the blocks are retained for the second owner, and the object for this one.
        unsafe memcpy(keeping.base, storage.base, type.size)
        if !type.isTrivial { unsafe ValueMemory.retain(keeping.base, as: type) }
        unsafe keeping.place.storeBytes(
            of: Unmanaged.passRetained(object).toOpaque(), as: UnsafeMutableRawPointer.self)
        return keeping
    }

    /// What it keeps.
    var object: AnyObject {
        // Safe because the place holds a retained object.
        unsafe Unmanaged<AnyObject>.fromOpaque(place.load(as: UnsafeMutableRawPointer.self))
            .takeUnretainedValue()
    }

    private static func words(of type: RecordType) -> Int { (type.size + 7) / 8 }

    private var place: UnsafeMutableRawPointer {
        // Safe because there is one element more than the record has.
        unsafe base + 8 * Self.words(of: header)
    }

    deinit {
        // Safe because this was the last owner.
        unsafe Unmanaged<AnyObject>.fromOpaque(place.load(as: UnsafeMutableRawPointer.self)).release()
    }
}
