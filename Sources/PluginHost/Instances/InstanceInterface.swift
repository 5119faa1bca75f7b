import CPluginABI
import Interfaces
import Records

/// The functions that make, start, stop and free the instances of a plugin: looked up once, shared by all
/// instances.
// Safe because the functions belong to the image, which is kept.
@safe
public struct InstanceInterface: @unchecked Sendable {
    /// The plugin.
    public let image: PluginImage
    let create: InstanceFunction
    let destroy: InstanceFunction
    /// Nil for a plugin without `SPIN_LIFE`.
    let start: InstanceFunction?
    let stop: InstanceFunction?
    /// Nil for a plugin without `SPIN_SWAP`.
    let save: InstanceFunction?
    let restore: InstanceFunction?
    /// The schema of the states that `save` writes.
    let schema: UInt32

    /// Looks up the functions that a plugin with instances exports.
    ///
    /// - Throws: `DiagnosticCode.contradictoryPlugin` when the library does not export what its notes say.
    public init(of image: PluginImage) throws(PluginError) {
        guard let description = image.description?.instance, case .loaded(let loaded) = image.code else {
            preconditionFailure("`\(image.library)` has instances")
        }
        self.image = image
        func contradiction(_ what: String) -> PluginError { .contradiction(loaded.library, what) }
        func function(_ address: UnsafeRawPointer, _ name: String) -> InstanceFunction {
            unsafe InstanceFunction(address, name, of: image)
        }
        // Safe because constants that the notes promise are of the ABI's types.
        let instance: UnsafePointer<spin_plugin_instance> = unsafe try loaded.constant("spin_plugin_instance")
        guard let create = unsafe instance.pointee.create, let destroy = unsafe instance.pointee.destroy
        else {
            throw contradiction("its `spin_plugin_instance` lacks a function")
        }
        self.create = unsafe function(unsafeBitCast(create, to: UnsafeRawPointer.self), "create")
        self.destroy = unsafe function(unsafeBitCast(destroy, to: UnsafeRawPointer.self), "destroy")
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
            self.start = unsafe function(unsafeBitCast(start, to: UnsafeRawPointer.self), "start")
            self.stop = unsafe function(unsafeBitCast(stop, to: UnsafeRawPointer.self), "stop")
        } else {
            (start, stop) = (nil, nil)
        }
        guard let schema = description.schema else {
            (save, restore, self.schema) = (nil, nil, 0)
            return
        }
        let swap: UnsafePointer<spin_plugin_swap> = unsafe try loaded.constant("spin_plugin_swap")
        guard let save = unsafe swap.pointee.save, let restore = unsafe swap.pointee.restore,
            unsafe swap.pointee.schema == schema
        else { throw contradiction("its `spin_plugin_swap` lacks a function, or has another schema") }
        self.save = unsafe function(unsafeBitCast(save, to: UnsafeRawPointer.self), "save")
        self.restore = unsafe function(unsafeBitCast(restore, to: UnsafeRawPointer.self), "restore")
        self.schema = schema
    }
}
