import Diagnostics
import Records

/// One parameter with its argument: a row of the type matrix.
struct CallParameter {
    let function: CFunction
    let parameter: CParameter
    /// The parameter's number in messages, from 1.
    let position: Int
    /// The index of its argument.
    let argument: Int

    /// The parameter at an index.
    init(_ function: CFunction, at index: Int, argument: Int) {
        (self.function, self.parameter) = (function, function.parameters[index])
        (self.position, self.argument) = (index + 1, argument)
    }

    /// How an input value is passed, and the type in which it is stored.
    func input(
        field: Int
    ) throws(InterfaceError) -> (passing: CallSignature.Passing, type: ValueType) {
        guard case .pointer(let pointer) = parameter.type else {
            // A parameter has a size, so it has a value type.
            guard let type = parameter.type.valueType else { throw refused("has no size") }
            guard !parameter.type.hasCases else {
                throw error(
                    .unconvertibleType, "is `\(parameter.text)`, a state with cases by value",
                    help: ["take `const \(parameter.type) *`"])
            }
            return (.value(field: field), type)
        }
        guard !parameter.type.isCall else {
            throw error(.unconvertibleType, "is `spin_call *`, which must be the first parameter")
        }
        guard !parameter.type.isInstance else {
            throw error(
                .unconvertibleType, "is `spin_self *`, which must be first, or follow `spin_call *`")
        }
        let (passing, type) = try pointed(pointer, field: field)
        guard pointer.isNullable, type != .pointer else { return (passing, type) }
        return (.nullable(passing), .optional(type))
    }

    private func pointed(
        _ pointer: CPointer, field: Int
    ) throws(InterfaceError) -> (passing: CallSignature.Passing, type: ValueType) {
        switch pointer.pointee {
        case .incomplete, .pointer, .function:
            return (.value(field: field), .pointer)
        case .void where !pointer.isConst, .structure where !pointer.isConst:
            return (.value(field: field), .pointer)
        case let target where !pointer.isConst:
            throw error(
                .argumentDirection, "is `\(parameter.text)`, which the function writes",
                help: (target.containsText
                    ? []
                    : [
                        "write `{ out = \(suggestedCount) }`, or `{ inout = \"…\" }` if the function also reads it"
                    ])
                    + ["declare it `const` if the function only reads it"])
        case .character: return (.cString(field: field), .string)
        case .void, .integer(.u8): return (.bytes(field: field), .bytes)
        case .string: return (.recordPointer(field: field), .string)
        case .bytes: return (.recordPointer(field: field), .bytes)
        case .structure(let type) where pointer.bound == .none:
            return (.recordPointer(field: field), .record(type.recordType))
        case .value(let value) where pointer.bound == .none:
            return (.recordPointer(field: field), value.type)
        case let element:
            guard let type = element.valueType else { throw refused("points to a type without a size") }
            return (.listPointer(field: field), .list(type))
        }
    }

    /// The callback that the parameter takes.
    func callback(
        _ counts: [String: CallArgument.Count]
    ) throws(InterfaceError) -> CallbackSignature {
        guard let callback = parameter.type.pointedFunction else {
            throw error(
                .argumentDirection, "is `\(parameter.text)`, which is no function pointer",
                help: ["a callback needs a declaration such as `int (*\(parameter.name))(void *context)`"])
        }
        guard !function.isEmitting else {
            throw error(
                .functionPointer,
                "is a callback of an effect that emits, which may be called after its return",
                help: ["let the effect emit what the callback would get"])
        }
        return try CallbackSignature(callback, self, counts: counts)
    }

    /// The error of a callback that the host cannot make.
    func refusal(because reason: String, help: [String] = []) -> InterfaceError {
        error(.functionPointer, "cannot be a callback: \(reason)", help: help)
    }

    /// Refuses null for a parameter that is not a pointer.
    func checkNull() throws(InterfaceError) {
        guard case .pointer = parameter.type, !parameter.type.isCall else {
            throw error(
                .argumentDirection, "is `\(parameter.text)`, which is not a pointer and cannot be null")
        }
    }

    /// The number of elements of an in-out-parameter.
    func count(_ given: Int?, form: CallArgument.OutForm) throws(InterfaceError) -> Int {
        if let given { return given }
        guard form == .elements else {
            throw error(
                .outParameterForm,
                "needs a size: \(form.name) as the first value does not give the size of the memory",
                help: ["add `out = N`, the number of bytes"])
        }
        guard case .pointer(let pointer) = parameter.type, case .array(let declared?) = pointer.bound else {
            return 1
        }
        return declared
    }

    /// The integer that `used = …` names.
    func usedSize(
        _ word: String, among parameters: [CallSignature.Parameter], result: ReceivedValue?
    ) throws(InterfaceError) -> CallSignature.UsedSize {
        if word == "result", case .integer? = result?.type { return .result }
        for other in parameters where word == "out.\(other.name)" {
            guard case .out(let buffer) = other.passing, buffer.form == .elements, buffer.count == 1,
                case .integer = buffer.element
            else { continue }
            return .out(field: buffer.field)
        }
        throw error(
            .outParameterForm,
            "cannot have `used = \"\(word)\"`, which is not an integer result or out-parameter",
            help: ["write `result` or `out.PARAMETER`, an integer that the function returns or writes"])
    }

    /// The memory for an out-parameter, and the type that expressions see.
    ///
    /// - Parameter input: the field with which the memory starts; nil for zeros.
    func out(
        field: Int, count: Int, form: CallArgument.OutForm, input: Int? = nil
    ) throws(InterfaceError) -> (buffer: CallSignature.OutBuffer, type: ValueType) {
        guard case .pointer(let pointer) = parameter.type else {
            throw error(
                .argumentDirection, "is `\(parameter.text)`, a value that the function only reads",
                help: ["write an expression instead of `{ out = … }`"])
        }
        guard parameter.type.pointedFunction == nil else {
            throw error(
                .argumentDirection, "is `\(parameter.text)`, a function that C calls",
                help: ["write `{ callback = … }` instead of `{ out = … }`"])
        }
        guard !pointer.isConst else {
            throw error(
                .argumentDirection, "is `\(parameter.text)`, which the function only reads",
                help: ["write an expression instead of `{ out = … }`"])
        }
        guard count >= 1 else {
            throw error(
                .outParameterForm, "cannot have \(count) elements", help: ["write `{ out = 1 }` or more"])
        }
        let isText = form == .string && pointer.pointee.isTextPointer
        guard !isText || (count == 1 && input == nil) else {
            throw error(
                .outParameterForm, "is `\(parameter.text)`, one pointer to text that the function allocates",
                help: ["write `{ out = 1, as = \"string\" }`"])
        }
        let element = try element(of: pointer, form: form)
        guard count <= CallSignature.greatestOutBuffer / element.stride else {
            throw error(
                .outParameterForm,
                "cannot have \(count) elements of \(element.stride) bytes: at most \(CallSignature.greatestOutBuffer) bytes are allowed"
            )
        }
        if case .array(let declared?) = pointer.bound, count < declared {
            throw error(
                .outParameterForm,
                "is `\(parameter.text)`: the function writes \(declared) elements, but there is room for \(count)",
                help: ["write `{ out = \(declared) }`"])
        }
        let buffer = CallSignature.OutBuffer(
            field: field, element: element, count: count, form: form, input: input)
        let type: ValueType =
            switch form {
            case .elements: count == 1 ? element : .list(element)
            case .string: isText ? .optional(.string) : .string
            case .bytes: .bytes
            }
        return (buffer, type)
    }

    private func element(
        of pointer: CPointer, form: CallArgument.OutForm
    ) throws(InterfaceError) -> ValueType {
        if pointer.pointee.containsText {
            throw error(
                .unconvertibleType,
                "is `\(parameter.text)`: the function cannot write text there, because it would have no owner"
            )
        }
        guard form == .elements else {
            switch pointer.pointee {
            case .pointer where form == .string && pointer.pointee.isTextPointer: return .pointer
            case .void, .character, .integer(.u8), .integer(.i8): return .integer(.u8)
            default:
                throw error(
                    .outParameterForm,
                    "is `\(parameter.text)`: only memory of bytes can be read as \(form.name)",
                    help: ["remove `as`"])
            }
        }
        switch pointer.pointee {
        case .void:
            throw error(
                .outParameterForm, "is `\(parameter.text)`, whose element type is unknown",
                help: ["add `as = \"bytes\"` or `as = \"string\"`; then `out` is the number of bytes"])
        case let target:
            guard let type = target.valueType else {
                throw error(
                    .unconvertibleType, "is `\(parameter.text)`: the members of `\(target)` are not declared",
                    help: ["declare them, or pass a `pointer`"])
            }
            return type
        }
    }

    private var suggestedCount: String {
        guard case .pointer(let pointer) = parameter.type, case .array(let count) = pointer.bound else {
            return "1"
        }
        return count.map(String.init) ?? "N"
    }

    private func refused(_ reason: String) -> InterfaceError {
        error(.unconvertibleType, "is `\(parameter.text)`, which \(reason)")
    }

    /// An error about this parameter: ``parameter 2 `buf` of `statvfs` …``.
    private func error(_ code: DiagnosticCode, _ what: String, help: [String] = []) -> InterfaceError {
        InterfaceError(
            code, "parameter \(position) `\(parameter.name)` of `\(function.name)` \(what)", help: help,
            argument: argument)
    }
}

extension CallArgument.OutForm {
    /// The word after `as =`.
    fileprivate var name: String {
        switch self {
        case .elements: "elements"
        case .string: "`string`"
        case .bytes: "`bytes`"
        }
    }
}
