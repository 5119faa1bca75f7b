public import Interfaces
import Records

/// How a native reducer is called for the loop of one layout: prepared once, immutable, shared by all its calls.
@safe
public final class ReducerInterface: Sendable {
    /// The loop's records.
    public let layout: LoopLayout
    let function: FunctionAddress
    /// What its calls are counted for; nil once nothing judges the plugin.
    let probation: Probation?
    /// The reducer in words.
    let callee: Callee

    /// Prepares calls of the reducer that `image` declares under `name`.
    ///
    /// - Throws: `DiagnosticCode.missingSymbol` when it declares none of that name; `layoutMismatch` when it was compiled
    ///   with structs of another layout; `contradictoryPlugin` when the reducer is not exported as the header says.
    public init(_ name: String, of image: PluginImage, for layout: LoopLayout) throws(PluginError) {
        function = try image.reducer(name, for: layout)
        self.layout = layout
        probation = image.probation
        callee = image.callee(.reducer(name))
    }

    /// The same, prepared anew: nothing counts its calls when its plugin is on probation no more.
    public func preparedAnew() -> ReducerInterface {
        (try? ReducerInterface(function.name, of: function.image, for: layout)) ?? self
    }
}
