import CPluginABI
import Interfaces
import Records

/// How the instances of a plugin are made, started, stopped and freed: looked up once, shared by all of them.
// Safe because the functions belong to the image, which is kept.
@safe
public struct InstanceInterface: @unchecked Sendable {
    /// The plugin.
    public let image: PluginImage
    let create: UnsafeRawPointer
    let destroy: UnsafeRawPointer
    /// Nil for a plugin without `SPIN_LIFE`.
    let start: UnsafeRawPointer?
    let stop: UnsafeRawPointer?
    /// Nil for a plugin without `SPIN_SWAP`.
    let save: UnsafeRawPointer?
    let restore: UnsafeRawPointer?
    /// What `save` writes.
    let schema: UInt32

    /// Looks up what a plugin with instances exports for them.
    ///
    /// - Throws: `DiagnosticCode.contradictoryPlugin` when the library does not export what its notes say.
    public init(of image: PluginImage) throws(PluginError) {
        guard let description = image.description?.instance, case .loaded(let loaded) = image.code else {
            preconditionFailure("`\(image.library)` has instances")
        }
        self.image = image
        func contradiction(_ what: String) -> PluginError { .contradiction(loaded.library, what) }
        // Safe because constants that the notes promise are of the ABI's types.
        let instance: UnsafePointer<spin_plugin_instance> = unsafe try loaded.constant("spin_plugin_instance")
        guard let create = unsafe instance.pointee.create, let destroy = unsafe instance.pointee.destroy
        else {
            throw contradiction("its `spin_plugin_instance` lacks a function")
        }
        unsafe (self.create, self.destroy) = (
            unsafeBitCast(create, to: UnsafeRawPointer.self),
            unsafeBitCast(destroy, to: UnsafeRawPointer.self)
        )
        if let config = description.config {
            let constant: UnsafePointer<spin_plugin_config> = unsafe try loaded.constant("spin_plugin_config")
            let size = unsafe constant.pointee.config_size
            guard size == UInt64(config.type.size) else {
                throw contradiction("its settings have \(size) bytes, their declaration \(config.type.size)")
            }
        }
        if description.hasLife {
            let life: UnsafePointer<spin_plugin_life> = unsafe try loaded.constant("spin_plugin_life")
            guard let start = unsafe life.pointee.start, let stop = unsafe life.pointee.stop else {
                throw contradiction("its `spin_plugin_life` lacks a function")
            }
            unsafe self.start = unsafeBitCast(start, to: UnsafeRawPointer.self)
            unsafe self.stop = unsafeBitCast(stop, to: UnsafeRawPointer.self)
        } else {
            unsafe (start, stop) = (nil, nil)
        }
        guard let schema = description.schema else {
            unsafe (save, restore, self.schema) = (nil, nil, 0)
            return
        }
        let swap: UnsafePointer<spin_plugin_swap> = unsafe try loaded.constant("spin_plugin_swap")
        guard let save = unsafe swap.pointee.save, let restore = unsafe swap.pointee.restore,
            unsafe swap.pointee.schema == schema
        else { throw contradiction("its `spin_plugin_swap` lacks a function, or has another schema") }
        unsafe self.save = unsafeBitCast(save, to: UnsafeRawPointer.self)
        unsafe self.restore = unsafeBitCast(restore, to: UnsafeRawPointer.self)
        self.schema = schema
    }
}
