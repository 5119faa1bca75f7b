import Interfaces
import Records

/// The functions that make, start, stop and free the instances of a plugin: looked up once, shared by all
/// instances.
// Safe because the functions belong to the image, which is kept.
@safe
public struct InstanceInterface: @unchecked Sendable {
    /// The plugin.
    public let image: PluginImage
    /// The functions in this process; nil for a plugin in another one.
    let functions: Functions?

    /// The functions of a plugin in this process.
    struct Functions {
        let create: InstanceFunction
        let destroy: InstanceFunction
        /// Nil for a plugin without `SPIN_LIFE`.
        let start: InstanceFunction?
        let stop: InstanceFunction?
        /// Nil for a plugin without `SPIN_SWAP`.
        let save: InstanceFunction?
        let restore: InstanceFunction?
        /// Nil for a plugin without `SPIN_RECONFIGURE`.
        let reconfigure: InstanceFunction?
    }

    /// The schema of the states that `save` writes; nil for a plugin without `SPIN_SWAP`.
    let schema: UInt32?

    /// Looks up the functions that a plugin with instances exports.
    ///
    /// - Throws: `DiagnosticCode.contradictoryPlugin` when the settings have another size than their note says.
    public init(of image: PluginImage) throws(PluginError) {
        guard let description = image.description?.instance else {
            preconditionFailure("`\(image.library)` has instances")
        }
        (self.image, schema) = (image, description.schema)
        guard image.remote == nil else {
            functions = nil
            return
        }
        guard let table = image.table, let instance = table.instance else {
            preconditionFailure("`\(image.library)` has a table with the functions of instances")
        }
        if let config = description.config, let size = table.configSize, size != UInt64(config.type.size) {
            throw .contradiction(
                image.library, "its settings have \(size) bytes, their declaration \(config.type.size)")
        }
        func function(_ address: UnsafeRawPointer, _ name: String) -> InstanceFunction {
            unsafe InstanceFunction(address, name, of: image)
        }
        // Safe because the table's functions live as long as the image, which agrees with its notes.
        functions = unsafe Functions(
            create: function(instance.first, "create"), destroy: function(instance.second, "destroy"),
            start: table.life.map { unsafe function($0.first, "start") },
            stop: table.life.map { unsafe function($0.second, "stop") },
            save: table.swap.map { unsafe function($0.first, "save") },
            restore: table.swap.map { unsafe function($0.second, "restore") },
            reconfigure: table.reconfigure.map { unsafe function($0, "reconfigure") })
    }
}
