import Diagnostics
import Glibc
import Interfaces
import Records

// Makes the outcome from the result slot and the buffers of a call. Nothing in them is trusted.
extension PreparedCall {
    /// The buffer for parameter `index`; nil when it is no out-parameter.
    static func out(_ index: Int, _ signature: CallSignature) -> Out? {
        guard case .out(let buffer) = signature.parameters[index].passing,
            let outs = signature.outcome.field("out"),
            case .record(let values) = outs.type
        else { return nil }
        let field = values.fields[buffer.field]
        let used: (field: RecordType.Field, start: Int)? =
            switch buffer.used {
            case nil: nil
            case .result: (signature.outcome.fields[0], 0)
            case .out(let other): (values.fields[other], outs.offset)
            }
        return Out(
            parameter: index, buffer: GuardedBuffer(size: buffer.byteCount), form: buffer.form,
            type: field.type, offset: outs.offset + field.offset,
            inputType: buffer.input.map { signature.inputs.fields[$0].type },
            used: used.flatMap { used in
                guard case .integer(let integer) = used.field.type else { return nil }
                return (integer, used.start + used.field.offset)
            })
    }

    /// - Throws: an error with the number of bytes that were written outside of the buffer.
    func checkOverrun(_ out: Out) throws(PluginError) {
        let (before, after) = out.buffer.takeOverrun()
        guard before + after > 0 else { return }
        let name = interface.signature.parameters[out.parameter].name
        let count = after > 0 ? after : before
        let place =
            "\(count) \(count == 1 ? "byte" : "bytes") \(after > 0 ? "past the end" : "before the start")"
        throw fault(
            .callOverran, "wrote \(place) of `\(name)`, which has \(out.buffer.size) bytes",
            help: ["compare its declaration with the library's header: size and members must be the same"])
    }

    /// Stores the result.
    @inline(__always)
    func takeResult() throws(PluginError) {
        // Safe because the slot holds a result of the function's C type, and the field is of the type made
        // from it.
        switch resultForm {
        case .none: break
        case .bool:
            unsafe outcome.storeBytes(
                of: UInt8(truncatingIfNeeded: result.load(as: UInt64.self)) == 0 ? 0 : 1, as: UInt8.self)
        case .word(let size):
            let word = unsafe result.load(as: UInt64.self)
            switch size {
            case 1: unsafe outcome.storeBytes(of: UInt8(truncatingIfNeeded: word), as: UInt8.self)
            case 2: unsafe outcome.storeBytes(of: UInt16(truncatingIfNeeded: word), as: UInt16.self)
            case 4: unsafe outcome.storeBytes(of: UInt32(truncatingIfNeeded: word), as: UInt32.self)
            default: unsafe outcome.storeBytes(of: word, as: UInt64.self)
            }
        case .floating(let size): unsafe memcpy(outcome, result, size)
        case .copied: try takeCopy()
        }
    }

    /// Stores a result that is checked and copied.
    private func takeCopy() throws(PluginError) {
        // Safe because the slot holds a result of the function's C type, and the field is of the type made
        // from it.
        let received = interface.signature.result!
        let text = received.form == .cString ? interface.signature.function.result : nil
        unsafe try take(result, to: outcome, as: received, text, "returned")
    }

    /// Copies a value. Frees its source when that is text, as C type `text`, that belongs to the caller.
    ///
    /// - Parameter did: what the function did with it, for messages.
    private func take(
        _ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, as received: ReceivedValue,
        _ text: CType?, _ did: String
    ) throws(PluginError) {
        var invalid: RecordError?
        // Safe because the source is a value of the received type, as far as the host can know, and the
        // target one of it.
        do throws(RecordError) {
            if interface.function.image.isGuarded { unsafe try ForeignProbe.check(source, as: received) }
            unsafe try ForeignValue.take(source, to: target, as: received)
        } catch { invalid = error }
        if case .pointer(let pointer)? = text, !pointer.isConst {
            unsafe try release(source.load(as: UnsafeMutableRawPointer?.self), did)
        }
        if let invalid { throw badValue("\(did) a value that is not of its type", invalid) }
    }

    /// Frees text, if a function for that is named.
    private func release(_ text: UnsafeMutableRawPointer?, _ did: String) throws(PluginError) {
        guard let release = interface.release, unsafe text != nil else { return }
        // Safe because the function has given the text away.
        let callback = unsafe PluginCallback(release.pointer, text)
        if let error = callback.call(
            for: release.image, as: .release(release.name), in: token,
            subject: "`\(interface.function.name)` \(did) a string whose release by `\(release.name)`")
        {
            throw error
        }
    }

    /// Stores the value that the function wrote into an out-parameter.
    func take(_ out: Out) throws(PluginError) {
        // Safe because the buffer has the size that its form says, and the outcome's field is of the type.
        let (source, target) = unsafe (UnsafeRawPointer(out.buffer.base), outcome + out.offset)
        if case .string = out.form, out.type.isOptional {
            return unsafe try takeText(source, to: target, out)
        }
        let size = try usedSize(of: out)
        do {
            if case .elements = out.form, interface.function.image.isGuarded {
                let element = if case .list(let element) = out.type { element } else { out.type }
                unsafe try ForeignProbe.check(source, count: out.buffer.size / element.stride, of: element)
            }
            switch (out.form, out.type) {
            case (.string, _):
                let size = unsafe strnlen(source.assumingMemoryBound(to: CChar.self), out.buffer.size)
                unsafe try ForeignValue.takeText(
                    UnsafeRawBufferPointer(start: source, count: size), to: target)
            case (.bytes, _):
                unsafe ValueMemory.storeBytes(UnsafeRawBufferPointer(start: source, count: size), to: target)
            case (.elements, .list(let element)):
                unsafe try ForeignValue.takeList(
                    source, count: out.buffer.size / element.stride, element, to: target)
            case (.elements, let type): unsafe try ForeignValue.take(source, to: target, as: type)
            }
        } catch {
            throw badValue(
                "wrote a value that is not of its type to `\(interface.signature.parameters[out.parameter].name)`",
                error)
        }
    }

    /// Stores the text that a `char **` points to.
    private func takeText(
        _ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, _ out: Out
    ) throws(PluginError) {
        let parameter = interface.signature.parameters[out.parameter]
        guard case .pointer(let pointer) = parameter.type else { preconditionFailure("it is a `char **`") }
        unsafe try take(
            source, to: target, as: ReceivedValue(form: .cString, type: out.type), pointer.pointee,
            "wrote to `\(parameter.name)`")
    }

    /// The number of bytes that the function wrote into the buffer.
    ///
    /// - Throws: an error when the function claims more than the buffer has.
    private func usedSize(of out: Out) throws(PluginError) -> Int {
        guard let used = out.used else { return out.buffer.size }
        // Safe because the outcome has an integer of that type there. A negative one, as after a failure,
        // means no bytes.
        let number = unsafe outcome + used.offset
        let size =
            unsafe used.type == .u64
            ? Int(clamping: number.load(as: UInt64.self))
            : max(0, Int(ValueMemory.loadInteger(number, as: used.type)))
        guard size > out.buffer.size else { return size }
        let name = interface.signature.parameters[out.parameter].name
        let said = if case .bytes("result") = out.form { "returned" } else { "wrote" }
        throw fault(
            .badResult,
            "\(said) \(size) as the number of bytes in `\(name)`, which has \(out.buffer.size) bytes",
            help: ["give `\(name)` that many bytes with `out = \(size)`"])
    }

    /// An error of this call's function: `` `NAME` MESSAGE ``.
    func fault(_ code: DiagnosticCode, _ message: String, help: [String] = []) -> PluginError {
        let function = interface.function
        if code == .badResult || code == .callOverran {
            function.image.failProbation("`\(function.name)` \(message)")
        }
        return PluginError(
            code, "`\(function.name)` \(message)", help: help, library: function.image.library,
            symbol: function.name)
    }

    private func badValue(_ message: String, _ error: RecordError) -> PluginError {
        fault(.badResult, "\(message): \(error)")
    }
}
