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
        switch pointer.pointee {
        case .incomplete, .pointer:
            return (.value(field: field), .pointer)
        case .void where !pointer.isConst, .structure where !pointer.isConst:
            return (.value(field: field), .pointer)
        case let target where !pointer.isConst:
            throw error(
                .argumentDirection, "is `\(parameter.text)`, which the function writes",
                help: (target.containsText ? [] : ["write `{ out = \(suggestedCount) }`"])
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

    /// The memory for an out-parameter, and the type it is read as.
    func out(
        field: Int, count: Int, form: CallArgument.OutForm
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
        let buffer = CallSignature.OutBuffer(field: field, element: element, count: count, form: form)
        let type: ValueType =
            switch form {
            case .elements: count == 1 ? element : .list(element)
            case .string: .string
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
