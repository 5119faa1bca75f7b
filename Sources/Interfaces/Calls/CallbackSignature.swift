import Diagnostics
public import Records

/// A function pointer that the host passes to C: how it reads the parameters of a call, and the type of the
/// answer.
///
/// The matrix of parameters (`T` is a scalar, `S` a struct; `counts` names the parameter):
///
/// | parameter | without `counts` | with `counts` |
/// | --- | --- | --- |
/// | scalar, enum, `S` without text | its value | – |
/// | `const T *`, `const S *` | one `T`, one record | a list |
/// | `T *`, `S *` | `pointer` | a list |
/// | `T [N]`, `const T [N]` | a list of N | a list |
/// | `char *`, `const char *` | `string` up to the NUL | `string` of so many bytes |
/// | `void *`, `const void *` | `pointer` | `bytes` |
/// | `unsigned char *`, `const unsigned char *` | as `T *`, as `const T *` | `bytes` |
/// | `char **` | `pointer` | a list of `string` |
/// | other pointers to pointers, such as `void **` | `pointer` | a list of `pointer` |
/// | other pointers | `pointer` | – |
///
/// A value behind a pointer that is marked `_Nullable` is optional.
public struct CallbackSignature: Hashable, Sendable {
    /// One parameter of the callback.
    public struct Parameter: Hashable, Sendable {
        /// Its name in the declaration: a field of `value`.
        public let name: String
        /// Its C type.
        public let type: CType
        /// How the host reads it.
        public let form: Form
    }

    /// How the host reads a parameter.
    public enum Form: Hashable, Sendable {
        /// The argument itself.
        case value
        /// One value that the argument points to.
        case pointee
        /// Text up to its NUL.
        case cString
        /// Text of so many bytes.
        case text(Count)
        /// So many bytes.
        case bytes(Count)
        /// So many elements.
        case list(Count)
        /// So many pointers to text, each up to its NUL.
        case cStrings(Count)
    }

    /// A number of elements or bytes.
    public enum Count: Hashable, Sendable {
        /// Always so many, from 0.
        case fixed(Int)
        /// The value of another parameter, an integer, by its index.
        case parameter(Int)
    }

    /// The name of the function's parameter that takes the callback.
    public let name: String
    /// The callback's C type.
    public let function: CFunctionType
    /// Its parameters in order.
    public let parameters: [Parameter]
    /// The type of `value` in expressions: one field for each parameter.
    public let value: RecordType
    /// The type of the answer, a scalar or a `pointer`; nil for `void`.
    public let result: ValueType?

    /// Checks the callback that a parameter of `function` takes.
    ///
    /// - Parameter counts: the numbers of elements that the manifest gives, by the callback's parameters.
    /// - Throws: `InterfaceError` for a type that the host cannot read or answer, and for a wrong count.
    init(
        _ callback: CFunctionType, _ matter: CallParameter, counts: [String: CallArgument.Count]
    ) throws(InterfaceError) {
        name = matter.parameter.name
        function = callback
        for unknown in counts.keys.sorted() where !callback.parameters.contains(where: { $0.name == unknown })
        {
            let names = callback.parameters.map(\.name)
            throw matter.refusal(
                because: "it has no parameter `\(unknown)`",
                help: [
                    Suggestion.closest(to: unknown, among: names).map { "did you mean `\($0)`?" }
                        ?? "it is declared `\(matter.parameter.text)`"
                ])
        }
        var parameters: [Parameter] = []
        var fields: [(name: String, type: ValueType)] = []
        for (index, parameter) in callback.parameters.enumerated() {
            let row = CallbackParameter(matter, callback, index)
            let (form, type) = try row.read(counts[parameter.name])
            parameters.append(Parameter(name: parameter.name, type: parameter.type, form: form))
            fields.append((parameter.name, type))
        }
        self.parameters = parameters
        value = RecordType(fields)
        switch callback.result {
        case .void: result = nil
        case .bool, .character, .integer, .float, .double, .duration, .timestamp, .enumeration, .pointer:
            result = callback.result.valueType
        default:
            throw matter.refusal(
                because: "it returns `\(callback.result)`, which an expression cannot give to C",
                help: ["wrap it in C, with a callback that returns a number"])
        }
    }
}

/// One parameter of a callback: a row of the matrix.
private struct CallbackParameter {
    private let matter: CallParameter
    private let callback: CFunctionType
    private let parameter: CParameter
    private let position: Int

    init(_ matter: CallParameter, _ callback: CFunctionType, _ index: Int) {
        (self.matter, self.callback, position) = (matter, callback, index + 1)
        parameter = callback.parameters[index]
    }

    /// How the parameter is read, and the type of its field.
    func read(
        _ given: CallArgument.Count?
    ) throws(InterfaceError) -> (form: CallbackSignature.Form, type: ValueType) {
        guard case .pointer(let pointer) = parameter.type else {
            guard let type = parameter.type.valueType, !containsTextInside(parameter.type) else {
                throw refused("is `\(parameter.text)`, which contains text without an owner")
            }
            if given != nil { throw refused("is `\(parameter.text)`, one value without a count") }
            return (.value, type)
        }
        let (form, type) = try pointed(pointer, try given.map(count))
        guard pointer.isNullable, type != .pointer else { return (form, type) }
        return (form, .optional(type))
    }

    private func pointed(
        _ pointer: CPointer, _ given: CallbackSignature.Count?
    ) throws(InterfaceError) -> (form: CallbackSignature.Form, type: ValueType) {
        switch (pointer.pointee, given) {
        case (.character, nil): return (.cString, .string)
        case (.character, let count?): return (.text(count), .string)
        case (.void, let count?), (.integer(.u8), let count?): return (.bytes(count), .bytes)
        case (.pointer(let inner), let count?) where pointer.pointee.isTextPointer:
            return (.cStrings(count), .list(inner.isNullable ? .optional(.string) : .string))
        case (.void, nil), (.incomplete, nil), (.function, nil), (.pointer, nil): return (.value, .pointer)
        default: break
        }
        guard let element = pointer.pointee.valueType, !containsTextInside(pointer.pointee) else {
            guard given != nil else { return (.value, .pointer) }
            throw refused("is `\(parameter.text)`, whose elements the host cannot read")
        }
        if let given { return (.list(given), .list(element)) }
        if case .array(let declared?) = pointer.bound { return (.list(.fixed(declared)), .list(element)) }
        return pointer.isConst ? (.pointee, element) : (.value, .pointer)
    }

    private func count(_ given: CallArgument.Count) throws(InterfaceError) -> CallbackSignature.Count {
        switch given {
        case .fixed(let number):
            guard number >= 0, number <= CallSignature.greatestOutBuffer else {
                throw refused("cannot have \(number) elements")
            }
            return .fixed(number)
        case .parameter(let name):
            guard let index = callback.parameters.firstIndex(where: { $0.name == name }),
                case .integer = callback.parameters[index].type
            else {
                throw refused(
                    "has the count `\(name)`, which is no integer parameter of `\(matter.parameter.name)`",
                    help: ["name the parameter that says how many elements there are, or write a number"])
            }
            return .parameter(index)
        }
    }

    private func containsTextInside(_ type: CType) -> Bool {
        switch type {
        case .string, .bytes: false
        case .value(let value) where value.type == .list(.string): false
        default: type.containsText
        }
    }

    private func refused(_ what: String, help: [String] = []) -> InterfaceError {
        matter.refusal(because: "its parameter \(position) `\(parameter.name)` \(what)", help: help)
    }
}
