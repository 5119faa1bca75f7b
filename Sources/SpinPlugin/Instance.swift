public import CPluginABI

/// An object of the plugin as one of its instances, which C and the host know as `spin_self *`.
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
/// With `SPIN_INSTANCE(create, destroy)` in a C file of the same library. The object is called by one thread at a time.
public enum Instance {
    /// The instance that `object` is from now on, kept until `destroy`: what `create` returns.
    public static func make(_ object: some AnyObject) -> OpaquePointer {
        // Safe because the object is retained until `destroy`.
        unsafe OpaquePointer(Unmanaged.passRetained(object).toOpaque())
    }

    /// The object of an instance that `make` made of one of this type.
    public static func object<Object: AnyObject>(_ instance: OpaquePointer, as: Object.Type) -> Object {
        // Safe because the host passes what `make` made, until it calls `destroy`.
        unsafe Unmanaged<Object>.fromOpaque(UnsafeRawPointer(instance)).takeUnretainedValue()
    }

    /// Gives up an instance that `make` made; nothing may use it any more.
    public static func destroy(_ instance: OpaquePointer) {
        // Safe because the host calls this once, at the end.
        unsafe Unmanaged<AnyObject>.fromOpaque(UnsafeRawPointer(instance)).release()
    }

    /// Appends bytes to what `save` leaves, while it runs.
    @discardableResult
    public static func write(_ bytes: [UInt8], to saving: UnsafeMutablePointer<spin_saving>) -> Status {
        // Safe because the host copies the bytes before it returns.
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe Status(rawValue: spin_write(saving, bytes.baseAddress, bytes.count))
        }
    }

    /// The bytes that `restore` gets, copied.
    public static func bytes(of saved: UnsafePointer<spin_saved>) -> [UInt8] {
        // Safe because the host keeps them while `restore` runs.
        unsafe Array(UnsafeBufferPointer(start: saved.pointee.data, count: saved.pointee.data_size))
    }
}
