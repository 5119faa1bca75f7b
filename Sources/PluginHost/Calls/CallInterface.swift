import CForeignCall
public import Interfaces
import Records

/// A function with a signature, prepared for calls. Immutable and shared by all its calls.
@safe
public final class CallInterface: Sendable {
    /// The arguments and the result.
    public let signature: CallSignature
    /// The function.
    public let function: FunctionAddress

    /// The function that frees the strings that it returns as `char *` or writes to a `char **`; nil when
    /// none does.
    let release: FunctionAddress?
    /// The function's description for reports.
    let callee: Callee
    /// The function's use of the pointers that `release` closes, the table that keeps them, and that
    /// function.
    let handles: (use: HandleUse, table: OpenHandles, release: FunctionAddress)?
    /// Counts its calls; nil when its plugin is not on probation.
    let probation: Probation?
    /// The callbacks, with the closures for each.
    let callbacks: [(parameter: Int, signature: CallbackSignature, pool: ClosurePool)]
    /// The function in the process that has loaded its plugin; nil if this one has.
    let remote: (any RemoteFunction)?
    let resultSize: Int
    let resultForm: ResultForm
    // Safe because the interface is immutable once made, and freed with its only owner.
    nonisolated(unsafe) let foreign: OpaquePointer
    /// Kept because libffi refers to them.
    private let types: [ForeignType]

    /// The limit for all structures by value of one call, in bytes. They are copied to the stack.
    private static let mostByValue = 1 << 16
    /// The C standard guarantees this number.
    private static let mostParameters = 127

    /// Prepares calls of `function`.
    ///
    /// - Parameters:
    ///   - release: the function that frees a string which `function` returns as `char *`, or writes to a
    ///     `char **` that is read as text, such as `free`. It takes the pointer. Text that is `const char *`
    ///     belongs to the library and is never freed.
    ///   - handles: the function's use of the pointers that the app must close, the table that keeps them,
    ///     and the function that closes them.
    /// - Throws: `DiagnosticCode.notCallable` for more than 127 parameters, for more than 64 KiB of
    ///   structures by value, for a type that libffi refuses, and for callbacks on a system that does not let
    ///   programs make functions.
    public convenience init(
        _ signature: CallSignature, of function: FunctionAddress, release: FunctionAddress? = nil,
        handles: (use: HandleUse, table: OpenHandles, release: FunctionAddress)? = nil
    ) throws(PluginError) {
        let remote = try function.image.remote?.prepare(
            signature, of: function.name, isEffect: function.image.description?.effect(function.name) != nil,
            freeing: release?.name)
        try self.init(signature, of: function, release: release, handles: handles, in: remote)
    }

    /// The same with a function in another process that is prepared already; nil: in this one.
    package init(
        _ signature: CallSignature, of function: FunctionAddress, release: FunctionAddress? = nil,
        handles: (use: HandleUse, table: OpenHandles, release: FunctionAddress)? = nil,
        in remote: (any RemoteFunction)?
    ) throws(PluginError) {
        self.remote = remote
        (self.signature, self.function, self.handles) = (signature, function, handles)
        probation = function.image.probation
        callbacks = signature.callbacks.map {
            ($0.parameter, $0.signature, ClosurePool.pool(for: $0.signature, of: function))
        }
        self.release = release
        let result = signature.function.result.foreignType
        let parameters = signature.parameters.map(\.type.foreignType)
        types = parameters + [result]
        guard types.reduce(0, { $0 + $1.size }) <= Self.mostByValue, parameters.count <= Self.mostParameters
        else {
            throw Self.notCallable(
                function,
                "it has more than \(Self.mostParameters) parameters or \(Self.mostByValue) bytes of structures by value"
            )
        }
        guard callbacks.allSatisfy(\.pool.canMake) else {
            throw Self.notCallable(function, "this system lets no program make functions for callbacks")
        }
        // Safe because the types live as long as the interface.
        let pointers = unsafe parameters.map { unsafe Optional($0.unsafePointer) }
        callee = function.image.callee(.effect(function.name))
        let made = unsafe pointers.withUnsafeBufferPointer { [callee] pointers in
            unsafe foreign_interface_create(
                callee.pointer, result.unsafePointer, pointers.baseAddress, pointers.count)
        }
        guard let made = unsafe made else { throw Self.notCallable(function, "libffi refuses its type") }
        unsafe foreign = made
        resultSize = unsafe foreign_result_size(result.unsafePointer)
        resultForm = ResultForm(signature.result)
    }

    // Safe because no call through the interface outlives it.
    deinit { unsafe foreign_interface_destroy(foreign) }

    /// The same function, prepared again. Its calls are counted only while its plugin is on probation.
    public func preparedAgain() -> CallInterface {
        (try? CallInterface(signature, of: function, release: release, handles: handles, in: remote)) ?? self
    }

    /// The table of the pointers that calls open; nil when they open none.
    public var openedHandles: OpenHandles? { handles.flatMap { $0.use.opens ? $0.table : nil } }

    private static func notCallable(_ function: FunctionAddress, _ reason: String) -> PluginError {
        PluginError(
            .notCallable, "`\(function.name)` cannot be called: \(reason)",
            help: ["pass structures by pointer"],
            library: function.image.library, symbol: function.name)
    }
}

extension CType {
    /// The libffi type of a parameter or result of this type.
    var foreignType: ForeignType { valueType?.foreignType ?? ForeignType(scalar: FOREIGN_VOID) }
}
