public import Interfaces
import HostLoop
import PluginHost
import StandardPlugin

/// The `std` plugin, which is linked into the program.
public enum StandardPluginImage {
    /// The plugin's effects and emitters, for checking manifests.
    public static let description: PluginDescription = {
        let services = HostServices(
            clock: ContinuousLoopClock(), wallTime: { 0 }, log: { _ in }, output: { _ in false })
        do {
            guard let description = try make(services).description else {
                preconditionFailure("std has notes")
            }
            return description
        } catch { preconditionFailure("the linked plugin is well-formed: \(error)") }
    }()

    static func make(_ services: HostServices) throws(PluginError) -> PluginImage {
        // Safe because the table is immortal.
        unsafe try .linked(spin_std_entry(), services: services)
    }
}
