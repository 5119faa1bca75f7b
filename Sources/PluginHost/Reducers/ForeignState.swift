import Glibc
import Records

/// Copies the state that a reducer wrote. Unchanged parts are kept, changed parts are checked and copied.
enum ForeignState {
    /// Replaces the value at `memory`, which equals the one at `old`, by the C value at `source`.
    ///
    /// `source` began as the bytes of `old`: text, bytes and lists that still refer to the same memory are
    /// unchanged.
    /// - Throws: as `ForeignValue.take`. The memory then holds a value of the type.
    static func take(
        _ source: UnsafeRawPointer, old: UnsafeRawPointer, to memory: UnsafeMutableRawPointer,
        as type: ValueType
    ) throws(RecordError) {
        // Safe because all three are of the type's size and layout, and `old` and `memory` are values of it.
        switch type {
        case .string, .bytes, .list:
            guard unsafe memcmp(source, old, type.size) != 0 else { return }
            unsafe try ForeignValue.take(source, to: memory, as: type)
        case .record(let record):
            guard record.cases.isEmpty else {
                unsafe try takeCase(source, old: old, to: memory, of: record)
                return
            }
            unsafe try take(record.fields, source, old: old, to: memory)
        case .optional(let wrapped) where !wrapped.isTrivial:
            let has = unsafe (source.load(as: UInt8.self), old.load(as: UInt8.self))
            guard has.0 != 0, has.1 != 0 else {
                unsafe try ForeignValue.take(source, to: memory, as: type)
                return
            }
            let offset = type.wrappedOffset
            unsafe try take(source + offset, old: old + offset, to: memory + offset, as: wrapped)
        default: unsafe try ForeignValue.take(source, to: memory, as: type)
        }
    }

    private static func take(
        _ fields: some Sequence<RecordType.Field>, _ source: UnsafeRawPointer, old: UnsafeRawPointer,
        to memory: UnsafeMutableRawPointer
    ) throws(RecordError) {
        for field in fields {
            do throws(RecordError) {
                // Safe because the field lies within the record.
                unsafe try take(
                    source + field.offset, old: old + field.offset, to: memory + field.offset, as: field.type)
            } catch { throw error.inside(field.name) }
        }
    }

    /// A record with cases. All fields are new when the case is another than before.
    private static func takeCase(
        _ source: UnsafeRawPointer, old: UnsafeRawPointer, to memory: UnsafeMutableRawPointer,
        of record: RecordType
    ) throws(RecordError) {
        // Safe because the source is of the record's size, and begins with the tag.
        guard let index = unsafe ValueMemory.caseIndex(source, of: record) else {
            let tag = unsafe source.load(as: Int32.self)
            throw RecordError(
                .outOfRange, "`\(tag)` is none of the \(record.cases.count) cases",
                path: [RecordType.caseField])
        }
        unsafe try take(record.fields.dropFirst(), source, old: old, to: memory)
        let fields = record.cases[index].fields
        if unsafe index == ValueMemory.caseIndex(old, of: record) {
            unsafe try take(fields, source, old: old, to: memory)
            return
        }
        unsafe ValueMemory.changeCase(memory, to: index, of: record)
        for field in fields {
            do throws(RecordError) {
                // Safe because the memory is in that case now.
                unsafe try ForeignValue.take(
                    source + field.offset, to: memory + field.offset, as: field.type)
            } catch { throw error.inside(field.name) }
        }
    }
}
