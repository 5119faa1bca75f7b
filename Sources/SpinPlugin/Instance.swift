public import CPluginABI

/// An object of the plugin as one of its instances. C and the host know it as `spin_self *`.
///
/// ```swift
/// @c(create)
/// func create(_ call: OpaquePointer?, _ config: OpaquePointer?) -> OpaquePointer? { Instance.make(Counter()) }
///
/// @c(count)
/// func count(_ instance: OpaquePointer) -> Int64 { Instance.object(instance, as: Counter.self).count() }
///
/// @c(destroy)
/// func destroy(_ instance: OpaquePointer) { Instance.destroy(instance) }
/// ```
///
/// A C file of the same library has `SPIN_INSTANCE(create, destroy)`. One thread at a time calls the object.
public enum Instance {
    /// Makes an instance of `object`, for `create` to return. The object is retained until `destroy`.
    public static func make(_ object: some AnyObject) -> OpaquePointer {
        // Safe because the object is retained until `destroy`.
        unsafe OpaquePointer(Unmanaged.passRetained(object).toOpaque())
    }

    /// The object of an instance that `make` returned. It must be of this type.
    public static func object<Object: AnyObject>(_ instance: OpaquePointer, as: Object.Type) -> Object {
        // Safe because the host passes an instance from `make`, until it calls `destroy`.
        unsafe Unmanaged<Object>.fromOpaque(UnsafeRawPointer(instance)).takeUnretainedValue()
    }

    /// Releases an instance that `make` returned. No code may use it afterwards.
    public static func destroy(_ instance: OpaquePointer) {
        // Safe because the host calls this once, at the end.
        unsafe Unmanaged<AnyObject>.fromOpaque(UnsafeRawPointer(instance)).release()
    }

    /// Appends bytes to the saved state, while `save` runs.
    @discardableResult
    public static func write(_ bytes: [UInt8], to saving: UnsafeMutablePointer<spin_saving>) -> Status {
        // Safe because the host copies the bytes before it returns.
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe Status(rawValue: spin_write(saving, bytes.baseAddress, bytes.count))
        }
    }

    /// A copy of the bytes that `restore` gets.
    public static func bytes(of saved: UnsafePointer<spin_saved>) -> [UInt8] {
        // Safe because the host keeps them while `restore` runs.
        unsafe Array(UnsafeBufferPointer(start: saved.pointee.data, count: saved.pointee.data_size))
    }
}
