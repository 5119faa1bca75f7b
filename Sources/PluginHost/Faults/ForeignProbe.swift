import CForeignCall
import Interfaces
import Records

/// Checks that memory from a plugin can be read, before the host reads it. For guarded plugins, where a wild
/// pointer is an error of the call.
///
/// It cannot prevent another thread from unmapping the memory at that moment.
enum ForeignProbe {
    /// A larger size is refused by the reader, so that it is not probed.
    private static let largest = 1 << 30

    /// - Throws: `RecordError` for a pointer to memory that cannot be read.
    static func check(_ source: UnsafeRawPointer, as received: ReceivedValue) throws(RecordError) {
        guard received.form == .cString else {
            unsafe try check(source, as: received.type)
            return
        }
        // Safe because the memory is probed before it is read.
        unsafe try checkMemory(source, size: 8)
        guard let text = unsafe source.load(as: UnsafePointer<CChar>?.self) else { return }
        guard unsafe foreign_text_size(text) >= 0 else { throw unreadable("text", UInt(bitPattern: text)) }
    }

    /// - Throws: the same for a value of the type, in memory of its layout.
    static func check(_ source: UnsafeRawPointer, as type: ValueType) throws(RecordError) {
        unsafe try checkMemory(source, size: type.size)
        unsafe try checkContents(source, as: type)
    }

    /// - Throws: the same for any of `count` elements.
    static func check(
        _ source: UnsafeRawPointer, count: Int, of element: ValueType
    ) throws(RecordError) {
        guard !element.isTrivial else { return }
        for index in 0..<count { unsafe try checkContents(source + index * element.stride, as: element) }
    }

    private static func checkContents(_ source: UnsafeRawPointer, as type: ValueType) throws(RecordError) {
        // Safe because the value itself can be read.
        switch type {
        case .string, .bytes: _ = unsafe try checkItems(source, stride: 1)
        case .list(let element):
            let count = unsafe try checkItems(source, stride: element.stride)
            guard count > 0, !element.isTrivial else { return }
            let items = unsafe source.load(as: UnsafeRawPointer.self)
            for index in 0..<count {
                do throws(RecordError) {
                    unsafe try checkContents(items + index * element.stride, as: element)
                } catch { throw error.inside("[\(index)]") }
            }
        case .array(let element, let count):
            guard !element.isTrivial else { return }
            for index in 0..<count {
                do throws(RecordError) {
                    unsafe try checkContents(source + index * element.stride, as: element)
                } catch { throw error.inside("[\(index)]") }
            }
        case .record(let record):
            var fields = record.fields
            if !record.cases.isEmpty, let index = unsafe ValueMemory.caseIndex(source, of: record) {
                fields += record.cases[index].fields
            }
            for field in fields {
                do throws(RecordError) {
                    unsafe try checkContents(source + field.offset, as: field.type)
                } catch { throw error.inside(field.name) }
            }
        case .optional(let wrapped):
            guard unsafe source.load(as: UInt8.self) != 0 else { return }
            unsafe try checkContents(source + type.wrappedOffset, as: wrapped)
        default: break
        }
    }

    /// The number of items of a pointer and a count; 0 for those that the reader refuses.
    private static func checkItems(
        _ source: UnsafeRawPointer, stride: Int
    ) throws(RecordError) -> Int {
        // Safe because both words can be read.
        let count = unsafe source.load(fromByteOffset: 8, as: Int.self)
        guard let items = unsafe source.load(as: UnsafeRawPointer?.self), count > 0,
            count <= largest / max(1, stride)
        else { return 0 }
        unsafe try checkMemory(items, size: count * stride)
        return count
    }

    /// - Throws: `RecordError` when the memory cannot be read.
    static func checkMemory(_ address: UnsafeRawPointer, size: Int) throws(RecordError) {
        guard unsafe foreign_is_readable(address, size) else {
            throw unreadable("value of \(size) bytes", UInt(bitPattern: address))
        }
    }

    private static func unreadable(_ what: String, _ address: UInt) -> RecordError {
        RecordError(
            .invalidText, "a \(what) lies at 0x\(String(address, radix: 16)), which cannot be read")
    }
}
