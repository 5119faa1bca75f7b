public import Records

/// A function with checked arguments: how each argument is passed, and how the results are read.
///
/// The type matrix, by parameter (`T` is a scalar, `S` a struct):
///
/// | parameter | input | out |
/// | --- | --- | --- |
/// | scalar, enum, `S` | its value | – |
/// | `const char *` | `string` | – |
/// | `const unsigned char *`, `const uint8_t *`, `const void *` | `bytes` | – |
/// | `const T *`, `const S []` | list | – |
/// | `const S *`, `const` pointer to one of the types below | record, its value | – |
/// | `spin_string`, `spin_bytes`, `const` pointers to them | `string`, `bytes` | – |
/// | `spin_list_…`, `spin_optional_…`, a record of a loop or of the plugin | list, optional, record | – |
/// | pointer to an incomplete type, to a pointer or to `S`; `void *` | `pointer` | elements; `void *` as bytes or text |
/// | `T *`, `char *`, `T []` | – | elements; one-byte types also as bytes or text |
/// | `char **`, `const char **` | – | `pointer`, or the text there as `string?` |
///
/// A pointer to a function takes a callback (`CallbackSignature`), or a `pointer` that C has made.
///
/// A pointer to `const` that is marked `_Nullable` has an optional input; null is passed for an absent value.
/// Every out-parameter may start with a value (`CallArgument.inOut`), and every pointer may be null.
public struct CallSignature: Hashable, Sendable {
    /// One parameter of the function.
    public struct Parameter: Hashable, Sendable {
        /// Its name in the declaration.
        public let name: String
        /// Its C type.
        public let type: CType
        /// How its argument is passed.
        public let passing: Passing
    }

    /// How an argument is passed. `field` is an index into `inputs.fields`.
    public enum Passing: Hashable, Sendable {
        /// The token of the running call.
        case call
        /// The plugin's instance.
        case instance
        /// The field's memory is the argument.
        case value(field: Int)
        /// The data pointer of the string in the field, which must not contain a NUL.
        case cString(field: Int)
        /// The data pointer of the bytes in the field.
        case bytes(field: Int)
        /// The address of the field's memory.
        case recordPointer(field: Int)
        /// The data pointer of the list in the field.
        case listPointer(field: Int)
        /// A null pointer if the optional in the field is absent. Else its value is passed as the inner case
        /// says.
        indirect case nullable(Passing)
        /// The address of memory that the function writes.
        case out(OutBuffer)
        /// A null pointer.
        case null
        /// A function that the host makes, which answers the calls of C.
        case callback(CallbackSignature)

        /// The field of `inputs` with the argument, or with the first value of its memory; nil if it has
        /// none.
        public var input: Int? {
            switch self {
            case .value(let field), .cString(let field), .bytes(let field), .recordPointer(let field),
                .listPointer(let field):
                field
            case .nullable(let passing): passing.input
            case .out(let buffer): buffer.input
            case .call, .instance, .null, .callback: nil
            }
        }
    }

    /// Memory that the function writes.
    public struct OutBuffer: Hashable, Sendable {
        /// Index into the fields of the record `out`.
        public let field: Int
        /// The type of an element: a byte for strings and bytes, a pointer for a `char **` that is read as
        /// text.
        public let element: ValueType
        /// Number of elements, at least 1.
        public let count: Int
        /// How it is read.
        public let form: CallArgument.OutForm
        /// Index into `inputs.fields` of the first value of the memory; nil for zeros.
        public let input: Int?
        /// The integer that gives the number of used bytes; nil if all bytes are used.
        public internal(set) var used: UsedSize?

        /// Size in bytes.
        public var byteCount: Int { element.stride * count }
    }

    /// The integer that gives the number of used bytes of a buffer.
    public enum UsedSize: Hashable, Sendable {
        /// The function's result.
        case result
        /// Another out-parameter: its index into the fields of the record `out`.
        case out(field: Int)
    }

    /// The callbacks, in the order of the parameters that take them, with the index of that parameter.
    public var callbacks: [(parameter: Int, signature: CallbackSignature)] {
        parameters.indices.compactMap { index in
            guard case .callback(let signature) = parameters[index].passing else { return nil }
            return (index, signature)
        }
    }

    /// The greatest size of an out-parameter, in bytes.
    public static let greatestOutBuffer = 1 << 24

    /// The function.
    public let function: CFunction
    /// The arguments that it was checked with, one for each parameter except those that the host fills itself.
    public let arguments: [CallArgument]
    /// Its parameters in order, including `spin_call *` and `spin_self *`.
    public let parameters: [Parameter]
    /// The input arguments: one field per argument, with the parameter's name and the type in which the value
    /// is stored.
    public let inputs: RecordType
    /// How the result is read; nil for `void`.
    public let result: ReceivedValue?
    /// The values for expressions after the call: `result` (absent for `void`), `errno` (`i32`), and `out`, a
    /// record with one field per out-parameter (absent without any).
    public let outcome: RecordType

    /// Checks `arguments` against the function's declaration. There must be one for each parameter except
    /// `spin_call *` and `spin_self *`.
    ///
    /// - Throws: `InterfaceError` for a wrong number of arguments, for an argument in the wrong direction,
    ///   and for an unsupported type. It names the function, the parameter and what was expected.
    public init(_ function: CFunction, arguments: [CallArgument]) throws(InterfaceError) {
        (self.function, self.arguments) = (function, arguments)
        let hostParameters = function.parameters.prefix(function.hostParameters)
        let ownParameters = function.ownParameters
        guard arguments.count == ownParameters.count else {
            throw Self.wrongCount(function, expected: ownParameters, given: arguments.count)
        }
        var parameters: [Parameter] = []
        var inputs: [(name: String, type: ValueType)] = []
        var outs: [(name: String, type: ValueType)] = []
        for parameter in hostParameters {
            parameters.append(
                Parameter(
                    name: parameter.name, type: parameter.type,
                    passing: parameter.type.isCall ? .call : .instance))
        }
        for (index, (parameter, argument)) in zip(ownParameters, arguments).enumerated() {
            let matter = CallParameter(function, at: parameters.count, argument: index)
            let passing: Passing
            switch argument {
            case .input:
                let (made, type) = try matter.input(field: inputs.count)
                inputs.append((parameter.name, type))
                passing = made
            case .out(let count, let form):
                let (buffer, type) = try matter.out(field: outs.count, count: count, form: form)
                outs.append((parameter.name, type))
                passing = .out(buffer)
            case .inOut(let count, let form):
                let (buffer, type) = try matter.out(
                    field: outs.count, count: try matter.count(count, form: form), form: form,
                    input: inputs.count)
                inputs.append((parameter.name, type))
                outs.append((parameter.name, type))
                passing = .out(buffer)
            case .null:
                try matter.checkNull()
                passing = .null
            case .callback(let counts): passing = .callback(try matter.callback(counts))
            }
            parameters.append(Parameter(name: parameter.name, type: parameter.type, passing: passing))
        }
        result = try Self.received(from: function)
        self.parameters = try Self.resolvingUsedSizes(parameters, of: function, result: result)
        self.inputs = RecordType(inputs)
        var outcome: [(name: String, type: ValueType)] = []
        if let result { outcome.append(("result", result.type)) }
        outcome.append(("errno", .integer(.i32)))
        if !outs.isEmpty { outcome.append(("out", .record(RecordType(outs)))) }
        self.outcome = RecordType(outcome)
    }

    private static func wrongCount(
        _ function: CFunction, expected: [CParameter], given: Int
    ) -> InterfaceError {
        let list = expected.map { "`\($0.text)`" }.joined(separator: ", ")
        let count = expected.count
        let wanted = count == 0 ? "no arguments" : "\(count) argument\(count == 1 ? "" : "s")"
        return InterfaceError(
            .argumentCount,
            "`\(function.name)` takes \(wanted), but \(given) \(given == 1 ? "is" : "are") given",
            help: count == 0 ? [] : ["it takes \(list)"],
            argument: given > count ? count : nil)
    }

    /// Finds the integer that `used` of each buffer names.
    private static func resolvingUsedSizes(
        _ parameters: [Parameter], of function: CFunction, result: ReceivedValue?
    ) throws(InterfaceError) -> [Parameter] {
        var resolved = parameters
        for (index, parameter) in parameters.enumerated() {
            guard case .out(var buffer) = parameter.passing, case .bytes(let used?) = buffer.form else {
                continue
            }
            let argument = index - function.hostParameters
            let matter = CallParameter(function, at: index, argument: argument)
            buffer.used = try matter.usedSize(used, among: parameters, result: result)
            resolved[index] = Parameter(
                name: parameter.name, type: parameter.type, passing: .out(buffer))
        }
        return resolved
    }

    private static func received(from function: CFunction) throws(InterfaceError) -> ReceivedValue? {
        switch function.result {
        case .void: return nil
        case .string: return ReceivedValue(form: .text, type: .string)
        case .bytes: return ReceivedValue(form: .bytes, type: .bytes)
        case .pointer(let pointer) where pointer.pointee == .character:
            return ReceivedValue(form: .cString, type: .optional(.string))
        case .value(let value) where !function.result.hasCases:
            return ReceivedValue(form: .plain, type: value.type)
        case let result:
            guard let type = result.valueType, !result.containsText, !result.hasCases else {
                throw InterfaceError(
                    .unconvertibleType,
                    "`\(function.name)` returns `\(result)`, which "
                        + (result.hasCases ? "has cases" : "contains text without an owner"),
                    help: ["return the text alone, or numbers"])
            }
            return ReceivedValue(form: .plain, type: type)
        }
    }
}
