import Diagnostics
import Glibc
import Interfaces
import Records

// The content of an out-parameter's memory when the function begins.
extension PreparedCall {
    /// Clears the memory, and copies the value at `source` into it if there is one.
    ///
    /// - Throws: `DiagnosticCode.badArgument` when the value does not fit.
    func begin(_ out: Out, _ source: UnsafeRawPointer?) throws(PluginError) {
        out.buffer.clear()
        guard let type = out.inputType, let source = unsafe source else { return }
        // Safe because the source is an initialised value of the type, and the copied bytes fit the buffer.
        switch (out.form, type) {
        case (.elements, .list(let element)):
            let count = unsafe source.load(fromByteOffset: 8, as: Int.self)
            let room = out.buffer.size / element.stride
            guard count <= room else {
                throw doesNotFit(out, "\(count) elements", "room for \(room)", needed: count)
            }
            unsafe memcpy(out.buffer.base, source.load(as: UnsafeRawPointer.self), count * element.stride)
        case (.elements, _): unsafe memcpy(out.buffer.base, source, type.size)
        case (.string, _):
            let text = unsafe ValueMemory.span(source)
            guard unsafe memchr(text.baseAddress!, 0, text.count) == nil else {
                throw fault(
                    .badArgument,
                    "takes C text for `\(interface.signature.parameters[out.parameter].name)`, which cannot hold a NUL",
                    help: ["write `as = \"bytes\"`, or pass text without NUL"])
            }
            // One more for the NUL at its end.
            unsafe try copy(text, to: out, needed: text.count + 1)
        case (.bytes, _):
            let bytes = unsafe ValueMemory.span(source)
            unsafe try copy(bytes, to: out, needed: bytes.count)
        }
    }

    private func copy(
        _ bytes: UnsafeRawBufferPointer, to out: Out, needed: Int
    ) throws(PluginError) {
        guard needed <= out.buffer.size else {
            throw doesNotFit(out, "\(needed) bytes", "\(out.buffer.size) bytes", needed: needed)
        }
        // Safe because both hold so many bytes; a string's or bytes' address is never null.
        unsafe memcpy(out.buffer.base, bytes.baseAddress!, bytes.count)
    }

    private func doesNotFit(_ out: Out, _ given: String, _ room: String, needed: Int) -> PluginError {
        let name = interface.signature.parameters[out.parameter].name
        return fault(
            .badArgument, "is given \(given) for `\(name)`, which has \(room)",
            help: ["give `\(name)` that many with `out = \(needed)`"])
    }
}
