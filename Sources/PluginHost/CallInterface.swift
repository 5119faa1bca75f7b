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

    /// What frees a returned string, if anything does.
    let release: FunctionAddress?
    /// The function in words.
    let callee: Callee
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
    /// - Parameter release: the function that frees a string which `function` returns, such as `free`; it
    ///   takes the pointer and returns nothing.
    /// - Throws: `DiagnosticCode.notCallable` for more than 127 parameters, more than 64 KiB of structures by
    ///   value, bytes whose number is anything but an integer `result`, and what libffi refuses.
    public init(
        _ signature: CallSignature, of function: FunctionAddress, release: FunctionAddress? = nil
    ) throws(PluginError) {
        (self.signature, self.function, self.release) = (signature, function, release)
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
        for parameter in signature.parameters {
            guard case .out(let buffer) = parameter.passing, case .bytes(let used?) = buffer.form else {
                continue
            }
            guard used == "result", case .integer? = signature.result?.type else {
                throw PluginError(
                    .notCallable,
                    "`used = \"\(used)\"` for `\(parameter.name)` of `\(function.name)` is not supported yet",
                    help: ["write `used = \"result\"` for a function that returns the number of bytes"],
                    library: function.image.library, symbol: function.name)
            }
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
