import Interfaces
import Records

/// One emitter of a loaded plugin: converts the struct that its C function packs to a record.
struct EmitterBinding: Sendable {
    /// The emitter's name, or the name for a loop's event (`LoopLayout.emissionName`).
    let name: String
    private let payload: RecordType
    private let fields: [Field]
    /// Whether the struct can be used as the record without a conversion.
    private let isPlain: Bool
    /// The size of the struct, in bytes.
    private let size: Int

    /// A field of the plugin's struct.
    private struct Field: Sendable {
        let name: String
        let offset: Int
        let received: ReceivedValue
    }

    /// - Throws: `contradictoryPlugin` when the emitter's note and its description in the table differ.
    init(
        _ emitter: EmitterDescription, _ found: PluginTable.Emitter, library: String
    ) throws(PluginError) {
        try self.init(
            emitter.name, payload: emitter.payload, size: emitter.payloadSize,
            fields: emitter.fields.map { Field(name: $0.name, offset: $0.offset, received: $0.received) },
            found, library: library)
    }

    /// The emitter of a loop's event, whose struct the app's header declares.
    init(
        event: LoopLayout.Event, of layout: LoopLayout, _ found: PluginTable.Emitter, library: String
    ) throws(PluginError) {
        let type = event.type
        try self.init(
            layout.emissionName(event), payload: type, size: type.fields.isEmpty ? 0 : type.size,
            fields: type.fields.map {
                Field(
                    name: $0.name, offset: $0.offset, received: ReceivedValue(form: .plain, type: $0.type))
            }, found, library: library)
    }

    private init(
        _ name: String, payload: RecordType, size: Int, fields: [Field],
        _ found: PluginTable.Emitter, library: String
    ) throws(PluginError) {
        guard found.payloadSize == UInt64(size) else {
            throw .contradiction(
                library, "emitter `\(name)` has \(found.payloadSize) bytes, its declaration \(size)")
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

    /// Gives the struct at `packed` to the sink as a record, and returns the sink's answer.
    ///
    /// - Parameter isProbed: whether to check first that its memory can be read, as for a guarded plugin.
    /// - Throws: `RecordError` when a field has an invalid value; the sink is not called then.
    func emit(
        _ packed: UnsafeRawPointer?, to sink: any CallSink, wait: EmissionWait, isProbed: Bool = false
    ) throws(RecordError) -> Int32 {
        if isProbed, let packed = unsafe packed { unsafe try probe(packed) }
        // Safe because the plugin promises a struct of the emitter's fields, and only this call reads it.
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
