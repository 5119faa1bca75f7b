import Diagnostics
import Records

/// One parameter and the argument it gets: a row of the type matrix.
struct CallParameter {
    let function: CFunction
    let parameter: CParameter
    /// Counted from 1, as messages name it.
    let position: Int
    /// Index of the argument given.
    let argument: Int

    /// The parameter at an index of the function's.
    init(_ function: CFunction, at index: Int, argument: Int) {
        (self.function, self.parameter) = (function, function.parameters[index])
        (self.position, self.argument) = (index + 1, argument)
    }

    /// How a value is passed, and the type it is stored as.
    func input(
        field: Int
    ) throws(InterfaceError) -> (passing: CallSignature.Passing, type: ValueType) {
        guard case .pointer(let pointer) = parameter.type else {
            // A parameter has a size, so it has a value type.
            guard let type = parameter.type.valueType else { throw refused("has no size") }
            return (.value(field: field), type)
        }
        guard !parameter.type.isCall else {
            throw error(.unconvertibleType, "is `spin_call *`, which only the first parameter may be")
        }
        guard !parameter.type.isInstance else {
            throw error(
                .unconvertibleType, "is `spin_self *`, which stands first, or after `spin_call *`")
        }
        let (passing, type) = try pointed(pointer, field: field)
        guard pointer.isNullable, type != .pointer else { return (passing, type) }
        return (.nullable(passing), .optional(type))
    }

    private func pointed(
        _ pointer: CPointer, field: Int
    ) throws(InterfaceError) -> (passing: CallSignature.Passing, type: ValueType) {
        switch pointer.pointee {
        case .incomplete, .pointer:
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
        case .record(let record) where pointer.bound == .none:
            return (.recordPointer(field: field), .record(record.type))
        case let element:
            guard let type = element.valueType else { throw refused("points to no type with a size") }
            return (.listPointer(field: field), .list(type))
        }
    }

    /// Refuses null for what is no pointer.
    func checkNull() throws(InterfaceError) {
        guard case .pointer = parameter.type, !parameter.type.isCall else {
            throw error(.argumentDirection, "is `\(parameter.text)`, no pointer, and cannot be null")
        }
    }

    /// How many elements an in-out-parameter has.
    func count(_ given: Int?, form: CallArgument.OutForm) throws(InterfaceError) -> Int {
        if let given { return given }
        guard form == .elements else {
            throw error(
                .outParameterForm,
                "begins with \(form.name): that does not say how much room the function needs",
                help: ["add `out = N`, the number of bytes"])
        }
        guard case .pointer(let pointer) = parameter.type, case .array(let declared?) = pointer.bound else {
            return 1
        }
        return declared
    }

    /// What the word after `used =` means for this parameter.
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
            "cannot have `used = \"\(word)\"`, which is no integer that the function gives",
            help: ["write `result` or `out.PARAMETER`: an integer that it returns or writes"])
    }

    /// The memory for an out-parameter, and the type it is read as.
    ///
    /// - Parameter input: the field that the memory begins with; nil for zeros.
    func out(
        field: Int, count: Int, form: CallArgument.OutForm, input: Int? = nil
    ) throws(InterfaceError) -> (buffer: CallSignature.OutBuffer, type: ValueType) {
        guard case .pointer(let pointer) = parameter.type else {
            throw error(
                .argumentDirection, "is `\(parameter.text)`, a value that the function only reads",
                help: ["write an expression instead of `{ out = … }`"])
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
                .outParameterForm, "is `\(parameter.text)`: one pointer to text that the function makes",
                help: ["write `{ out = 1, as = \"string\" }`"])
        }
        let element = try element(of: pointer, form: form)
        guard count <= CallSignature.greatestOutBuffer / element.stride else {
            throw error(
                .outParameterForm,
                "cannot have \(count) elements of \(element.stride) bytes: at most \(CallSignature.greatestOutBuffer) bytes are reserved"
            )
        }
        if case .array(let declared?) = pointer.bound, count < declared {
            throw error(
                .outParameterForm,
                "is `\(parameter.text)`: the function writes \(declared) elements, \(count) are given",
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
                .unconvertibleType, "is `\(parameter.text)`: text that nobody owns cannot be written there")
        }
        guard form == .elements else {
            switch pointer.pointee {
            case .pointer where form == .string && pointer.pointee.isTextPointer: return .pointer
            case .void, .character, .integer(.u8), .integer(.i8): return .integer(.u8)
            default:
                throw error(
                    .outParameterForm,
                    "is `\(parameter.text)`: only memory of bytes can be read as \(form.name)",
                    help: ["leave `as` out"])
            }
        }
        switch pointer.pointee {
        case .void:
            throw error(
                .outParameterForm, "is `\(parameter.text)`, which says nothing about its elements",
                help: ["add `as = \"bytes\"` or `as = \"string\"`, the number is that of bytes then"])
        case let target:
            guard let type = target.valueType else {
                throw error(
                    .unconvertibleType, "is `\(parameter.text)`: the members of `\(target)` are not declared",
                    help: ["declare it, or pass a `pointer`"])
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
