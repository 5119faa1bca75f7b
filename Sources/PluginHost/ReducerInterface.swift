import CForeignCall
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
    // Safe because the interface is immutable once made, and freed with its only owner.
    nonisolated(unsafe) let foreign: OpaquePointer
    // Kept because libffi refers to them.
    private let types: [ForeignType]

    /// Prepares calls of the reducer that `image` declares under `name`.
    ///
    /// - Throws: `DiagnosticCode.missingSymbol` when it declares none of that name; `layoutMismatch` when it was compiled
    ///   with structs of another layout; `contradictoryPlugin` when the reducer is not exported as the header says.
    public init(_ name: String, of image: PluginImage, for layout: LoopLayout) throws(PluginError) {
        function = try image.reducer(name, for: layout)
        self.layout = layout
        probation = image.probation
        let (pointer, status) = (ForeignType(scalar: FOREIGN_POINTER), ForeignType(scalar: FOREIGN_I32))
        types = [pointer, status]
        // Safe because the types live as long as the interface.
        let parameters = unsafe [OpaquePointer?](repeating: pointer.unsafePointer, count: 3)
        callee = image.callee(.reducer(name))
        let made = unsafe parameters.withUnsafeBufferPointer { [callee] parameters in
            unsafe foreign_interface_create(
                callee.pointer, status.unsafePointer, parameters.baseAddress, parameters.count)
        }
        guard let made = unsafe made else { preconditionFailure("libffi knows pointers and integers") }
        unsafe foreign = made
    }

    /// The same, prepared anew: nothing counts its calls when its plugin is on probation no more.
    public func preparedAnew() -> ReducerInterface {
        (try? ReducerInterface(function.name, of: function.image, for: layout)) ?? self
    }

    // Safe because no call through the interface outlives it.
    deinit { unsafe foreign_interface_destroy(foreign) }
}
