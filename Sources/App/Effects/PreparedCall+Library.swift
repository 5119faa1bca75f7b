import HostLoop
public import Interfaces
public import PluginHost

extension PreparedCall {
    /// Loads a library outside of any app, and prepares a call of the function that the signature declares.
    ///
    /// - Parameters:
    ///   - library: a path from the current folder, or a name for the dynamic loader.
    ///   - signature: the function's name, arguments and result.
    /// - Throws: `PluginError` when library or function are not available, or the function cannot be called.
    public convenience init(library: String, signature: CallSignature) throws(PluginError) {
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
        self.init(
            try CallInterface(signature, of: isEffect ? image.effect(function) : image.address(of: function)))
    }
}
