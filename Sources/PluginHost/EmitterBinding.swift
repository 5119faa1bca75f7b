import CPluginABI
import Interfaces
import Records

/// One emitter of a loaded plugin: how the struct that its C function packs becomes a record.
struct EmitterBinding: Sendable {
    let description: EmitterDescription
    /// True when the struct is the record already, whatever its bytes.
    private let isPlain: Bool

    var name: String { description.name }

    /// - Throws: a contradiction between the emitter's note and its constant.
    init(
        _ emitter: EmitterDescription, constant: UnsafePointer<spin_emitter>, library: String
    ) throws(PluginError) {
        // Safe because the constant was found in the library under the emitter's name.
        let size = unsafe constant.pointee.payload_size
        guard size == emitter.payloadSize else {
            throw .contradiction(
                library, "emitter `\(emitter.name)` has \(size) bytes, its declaration \(emitter.payloadSize)"
            )
        }
        description = emitter
        isPlain = emitter.fields.allSatisfy { $0.received.form == .plain && $0.received.type.isPlain }
    }

    /// Hands the struct at `packed` to the sink as a record, and returns the sink's answer.
    ///
    /// - Throws: `RecordError` when it is not of its type; the sink has not heard of it then.
    func emit(
        _ packed: UnsafeRawPointer?, to sink: any CallSink, wait: EmissionWait
    ) throws(RecordError) -> Int32 {
        // Safe because the plugin promises a struct of the emitter's fields, which is read during this call
        // only.
        let payload = description.payload
        if isPlain, !description.fields.isEmpty, let packed = unsafe packed {
            return unsafe sink.emitted(emitter: name, payload: packed, wait: wait)
        }
        guard unsafe packed != nil || description.fields.isEmpty else {
            throw RecordError(.missingField, "the payload is a null pointer")
        }
        let answer = unsafe withUnsafeTemporaryAllocation(byteCount: payload.size, alignment: 16) { memory in
            let record = memory.baseAddress!
            unsafe ValueMemory.initialize(record, as: .record(payload))
            defer { unsafe ValueMemory.destroy(record, as: .record(payload)) }
            do throws(RecordError) {
                for (field, target) in zip(description.fields, payload.fields) {
                    do throws(RecordError) {
                        unsafe try ForeignValue.take(
                            packed! + field.offset, to: record + target.offset, as: field.received)
                    } catch { throw error.inside(field.name) }
                }
            } catch { return Result<Int32, RecordError>.failure(error) }
            return unsafe .success(
                sink.emitted(emitter: name, payload: UnsafeRawPointer(record), wait: wait))
        }
        return try answer.get()
    }
}
