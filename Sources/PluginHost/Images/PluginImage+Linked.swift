public import CPluginABI
import Interfaces

extension PluginImage {
    /// Makes an image of a plugin that is linked into the process, such as `std`. Its constants must be
    /// immortal.
    ///
    /// One copy of such a plugin serves all hosts of the process. A function with a call reaches that call's
    /// host. A function without one, such as `spin_print`, reaches the host that is calling the plugin on
    /// this thread. On its own threads, such a function answers `SPIN_NO_HOST`.
    ///
    /// - Parameter entry: its `spin_entry`.
    /// - Throws: `PluginError` when the table is invalid, as `open` does.
    public static func linked(
        _ entry: UnsafePointer<spin_entry>, services: HostServices
    ) throws(PluginError) -> PluginImage {
        // Safe because the caller promises an immortal table.
        let table = unsafe try PluginTable(
            UnsafeRawPointer(entry), in: .process, library: "the linked plugin")
        let notes = table.statements.values.map(\.note).sorted {
            ($0.kind.rawValue, $0[0]) < ($1.kind.rawValue, $1[0])
        }
        let description: PluginDescription
        do throws(InterfaceError) { description = try PluginDescription(notes: notes) } catch {
            throw PluginError(error.code, error.message, help: error.help, library: "the linked plugin")
        }
        unsafe HostTable.publish(HostTable.shared, at: table.host)
        return PluginImage(
            library: description.id, staged: nil, description: description, services: services, code: .linked,
            table: table, emitters: try bindings(description, table, library: description.id))
    }
}
