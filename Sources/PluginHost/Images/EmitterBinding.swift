import CPluginABI
import Interfaces
import Records

/// One emitter of a loaded plugin: how the struct that its C function packs becomes a record.
struct EmitterBinding: Sendable {
    /// The emitter's name, or that of a loop's event (`LoopLayout.emissionName`).
    let name: String
    private let payload: RecordType
    private let fields: [Field]
    /// True when the struct is the record already, whatever its bytes.
    private let isPlain: Bool
    /// Of the struct, in bytes.
    private let size: Int

    /// A field of the plugin's struct.
    private struct Field: Sendable {
        let name: String
        let offset: Int
        let received: ReceivedValue
    }

    /// - Throws: a contradiction between the emitter's note and its constant.
    init(
        _ emitter: EmitterDescription, constant: UnsafePointer<spin_emitter>, library: String
    ) throws(PluginError) {
        unsafe try self.init(
            emitter.name, payload: emitter.payload, size: emitter.payloadSize,
            fields: emitter.fields.map { Field(name: $0.name, offset: $0.offset, received: $0.received) },
            constant: constant, library: library)
    }

    /// An event of a loop, emitted as the struct that the app's header has for it.
    init(
        event: LoopLayout.Event, of layout: LoopLayout, constant: UnsafePointer<spin_emitter>, library: String
    ) throws(PluginError) {
        let type = event.type
        unsafe try self.init(
            layout.emissionName(event), payload: type, size: type.fields.isEmpty ? 0 : type.size,
            fields: type.fields.map {
                Field(
                    name: $0.name, offset: $0.offset, received: ReceivedValue(form: .plain, type: $0.type))
            }, constant: constant, library: library)
    }

    private init(
        _ name: String, payload: RecordType, size: Int, fields: [Field],
        constant: UnsafePointer<spin_emitter>, library: String
    ) throws(PluginError) {
        // Safe because the constant was found in the library under the emitter's name.
        let found = unsafe constant.pointee.payload_size
        guard found == size else {
            throw .contradiction(library, "emitter `\(name)` has \(found) bytes, its declaration \(size)")
        }
        (self.name, self.payload, self.fields, self.size) = (name, payload, fields, size)
        isPlain = fields.allSatisfy { $0.received.form == .plain && $0.received.type.isPlain }
    }

    private func probe(_ packed: UnsafeRawPointer) throws(RecordError) {
        unsafe try ForeignProbe.checkMemory(packed, size: size)
        for field in fields {
            do throws(RecordError) {
                // Safe because the field lies in the struct.
                unsafe try ForeignProbe.check(packed + field.offset, as: field.received)
            } catch { throw error.inside(field.name) }
        }
    }

    /// Hands the struct at `packed` to the sink as a record, and returns the sink's answer.
    ///
    /// - Parameter isProbed: whether to look first that all of it can be read, as for a guarded plugin.
    /// - Throws: `RecordError` when it is not of its type; the sink has not heard of it then.
    func emit(
        _ packed: UnsafeRawPointer?, to sink: any CallSink, wait: EmissionWait, isProbed: Bool = false
    ) throws(RecordError) -> Int32 {
        if isProbed, let packed = unsafe packed { unsafe try probe(packed) }
        // Safe because the plugin promises a struct of the emitter's fields, which is read during this call
        // only.
        if isPlain, !fields.isEmpty, let packed = unsafe packed {
            return unsafe sink.emitted(emitter: name, payload: packed, wait: wait)
        }
        guard unsafe packed != nil || fields.isEmpty else {
            throw RecordError(.missingField, "the payload is a null pointer")
        }
        let answer = unsafe withUnsafeTemporaryAllocation(byteCount: payload.size, alignment: 16) { memory in
            let record = memory.baseAddress!
            unsafe ValueMemory.initialize(record, as: .record(payload))
            defer { unsafe ValueMemory.destroy(record, as: .record(payload)) }
            do throws(RecordError) {
                for (field, target) in zip(fields, payload.fields) {
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
