public import Interfaces
import Records

/// The native reducer of a loop with one layout, prepared for calls. Immutable and shared by all its calls.
@safe
public final class ReducerInterface: Sendable {
    /// The loop's records.
    public let layout: LoopLayout
    let function: FunctionAddress
    /// Counts its calls; nil when its plugin is not on probation.
    let probation: Probation?
    /// The reducer's description for reports.
    let callee: Callee

    /// Prepares calls of the reducer that `image` declares under `name`.
    ///
    /// - Throws: `DiagnosticCode.missingSymbol` when it declares none of that name; `layoutMismatch` when it
    ///   was compiled with structs of another layout; `contradictoryPlugin` when the reducer is not exported
    ///   as the header says.
    public init(_ name: String, of image: PluginImage, for layout: LoopLayout) throws(PluginError) {
        function = try image.reducer(name, for: layout)
        self.layout = layout
        probation = image.probation
        callee = image.callee(.reducer(name))
    }

    /// The same reducer, prepared again. Its calls are counted only while its plugin is on probation.
    public func preparedAgain() -> ReducerInterface {
        (try? ReducerInterface(function.name, of: function.image, for: layout)) ?? self
    }
}
