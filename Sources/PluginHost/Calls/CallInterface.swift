import CForeignCall
public import Interfaces
import Records

/// How one function is called with arguments of one signature: prepared once, immutable, shared by all calls.
@safe
public final class CallInterface: Sendable {
    /// What is passed and what comes back.
    public let signature: CallSignature
    /// The function.
    public let function: FunctionAddress

    /// What frees the strings that it returns as `char *` or writes to a `char **`, if anything does.
    let release: FunctionAddress?
    /// The function in words.
    let callee: Callee
    /// What the function does with the pointers that its plugin's `release` closes, where they are kept, and that function.
    let handles: (use: HandleUse, table: OpenHandles, release: FunctionAddress)?
    /// What its calls are counted for; nil once nothing judges the plugin.
    let probation: Probation?
    let resultSize: Int
    let resultForm: ResultForm
    // Safe because the interface is immutable once made, and freed with its only owner.
    nonisolated(unsafe) let foreign: OpaquePointer
    /// Kept because libffi refers to them.
    private let types: [ForeignType]

    /// What all structures by value of one call may have together in bytes: they are copied to the stack.
    private static let mostByValue = 1 << 16
    /// C promises that many.
    private static let mostParameters = 127

    /// Prepares calls of `function`.
    ///
    /// - Parameters:
    ///   - release: the function that frees a string which `function` returns as `char *`, or writes to a `char **` that is read
    ///     as text, such as `free`; it takes the pointer. Text that is `const char *` belongs to the library and is never freed.
    ///   - handles: what the function does with pointers that somebody closes, where they are kept, and what closes them.
    /// - Throws: `DiagnosticCode.notCallable` for more than 127 parameters, more than 64 KiB of structures by
    ///   value, and what libffi refuses.
    public init(
        _ signature: CallSignature, of function: FunctionAddress, release: FunctionAddress? = nil,
        handles: (use: HandleUse, table: OpenHandles, release: FunctionAddress)? = nil
    ) throws(PluginError) {
        (self.signature, self.function, self.handles) = (signature, function, handles)
        probation = function.image.probation
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

    /// The same, prepared anew: nothing counts its calls when its plugin is on probation no more.
    public func preparedAnew() -> CallInterface {
        (try? CallInterface(signature, of: function, release: release, handles: handles)) ?? self
    }

    /// Where the pointers that calls open are kept; nil when they open none.
    public var openedHandles: OpenHandles? { handles.flatMap { $0.use.opens ? $0.table : nil } }

    private static func notCallable(_ function: FunctionAddress, _ reason: String) -> PluginError {
        PluginError(
            .notCallable, "`\(function.name)` cannot be called: \(reason)",
            help: ["pass structures by pointer"],
            library: function.image.library, symbol: function.name)
    }
}

extension CType {
    /// How libffi sees a parameter or result of this type.
    var foreignType: ForeignType { valueType?.foreignType ?? ForeignType(scalar: FOREIGN_VOID) }
}
