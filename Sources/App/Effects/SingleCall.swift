import HostLoop
public import Interfaces
public import PluginHost

/// One call of one function, outside of any app.
public enum SingleCall {
    /// Loads the library and prepares a call of the function that the signature declares.
    ///
    /// - Parameter library: a path from the current folder, or a name for the dynamic loader.
    /// - Throws: `PluginError` when library or function are not available, or it cannot be called.
    public static func prepare(library: String, signature: CallSignature) throws(PluginError) -> PreparedCall
    {
        let location: LibraryLocation
        do {
            location = try .resolve(library: library, manifestFolder: ".", pluginPath: [])
        } catch { throw PluginError(error.code, error.message, help: error.help, library: library) }
        let staging = try StagingDirectory()
        // The library stays mapped when its copy has gone.
        defer { staging.close() }
        let services = HostServices(
            clock: ContinuousLoopClock(), wallTime: { WallClock.nanoseconds }, log: { _ in },
            output: { _ in false })
        let image = try PluginImage.open(location, staging: staging, services: services)
        let function = signature.function.name
        guard !signature.function.takesInstance else {
            throw PluginError(
                .notCallable, "`\(function)` takes `spin_self *`, an instance that only an app has",
                help: ["run it in an app: `effect = \"PLUGIN:\(function)\"`"], library: library,
                symbol: function)
        }
        let isEffect = image.description?.effect(function) != nil
        return PreparedCall(
            try CallInterface(signature, of: isEffect ? image.effect(function) : image.address(of: function)))
    }
}
