import CForeignCall
import Glibc
import Interfaces
import Records

/// Copies one argument of a callback into memory of the host. Its content is checked.
@safe
struct CallbackArgument {
    /// Where the argument is.
    let source: UnsafeRawPointer
    /// An initialised value of the type.
    let target: UnsafeMutableRawPointer
    let type: ValueType
    /// Whether to check first that memory can be read, as for a guarded plugin.
    let isProbed: Bool

    /// More bytes than this behind one pointer are a mistake of the plugin.
    private static let largest = 1 << 30

    /// The argument itself.
    func takeValue() throws(RecordError) {
        // Safe because the source is a value of the type.
        if isProbed { unsafe try ForeignProbe.check(source, as: type) }
        unsafe try ForeignValue.take(source, to: target, as: type)
    }

    /// The value that the argument points to.
    func takePointee() throws(RecordError) {
        guard let (address, memory, type) = unsafe try present() else { return }
        // Safe because the pointer is to a value of the type.
        if isProbed { unsafe try ForeignProbe.check(address, as: type) }
        unsafe try ForeignValue.take(address, to: memory, as: type)
    }

    /// Text up to its NUL.
    func takeText() throws(RecordError) {
        let received = ReceivedValue(form: .cString, type: type)
        // Safe because the source is a pointer to text.
        guard unsafe source.load(as: UInt.self) != 0 || type.isOptional else { throw Self.isNull }
        if isProbed { unsafe try ForeignProbe.check(source, as: received) }
        unsafe try ForeignValue.take(source, to: target, as: received)
    }

    /// Text of so many bytes.
    func takeText(_ count: Int) throws(RecordError) {
        guard let (bytes, memory) = unsafe try items(count, stride: 1) else { return }
        // Safe because so many bytes are there.
        unsafe try ForeignValue.takeText(bytes, to: memory)
    }

    /// So many bytes.
    func takeBytes(_ count: Int) throws(RecordError) {
        guard let (bytes, memory) = unsafe try items(count, stride: 1) else { return }
        // Safe because so many bytes are there.
        unsafe ValueMemory.storeBytes(bytes, to: memory)
    }

    /// So many elements.
    func takeList(_ count: Int) throws(RecordError) {
        guard case .list(let element) = type.unwrapped,
            let (items, memory) = unsafe try items(count, stride: element.stride)
        else { return }
        // Safe because so many elements are there.
        if isProbed, let start = items.baseAddress {
            unsafe try ForeignProbe.check(start, count: count, of: element)
        }
        unsafe try ForeignValue.takeList(items.baseAddress, count: count, element, to: memory)
    }

    /// So many pointers to text.
    func takeTexts(_ count: Int) throws(RecordError) {
        guard case .list(let element) = type.unwrapped,
            let (items, memory) = unsafe try items(count, stride: MemoryLayout<UInt>.size)
        else { return }
        // Safe because so many pointers are there, and the copies are released after being shared.
        let copies = UnsafeMutableRawPointer.allocate(
            byteCount: max(1, count * element.stride), alignment: 16)
        for index in 0..<count { unsafe ValueMemory.initialize(copies + index * element.stride, as: element) }
        defer {
            for index in 0..<count {
                unsafe ValueMemory.destroy(copies + index * element.stride, as: element)
            }
            unsafe copies.deallocate()
        }
        for index in 0..<count {
            let text = unsafe CallbackArgument(
                source: items.baseAddress! + index * MemoryLayout<UInt>.size,
                target: copies + index * element.stride, type: element, isProbed: isProbed)
            do throws(RecordError) { try text.takeText() } catch { throw error.inside("[\(index)]") }
        }
        unsafe ValueMemory.storeList(copies, count: count, element: element, to: memory)
    }

    private static var isNull: RecordError { RecordError(.missingField, "it is a null pointer") }

    /// The pointer, and where its value goes with its type; nil for a null pointer of an optional, which is then
    /// absent.
    private func present() throws(RecordError) -> (
        address: UnsafeRawPointer, memory: UnsafeMutableRawPointer, type: ValueType
    )? {
        // Safe because the source is a pointer, and an optional's value follows its `has`.
        guard let address = unsafe source.load(as: UnsafeRawPointer?.self) else {
            guard type.isOptional else { throw Self.isNull }
            unsafe ValueMemory.destroy(target, as: type)
            unsafe ValueMemory.initialize(target, as: type)
            return nil
        }
        guard case .optional(let wrapped) = type else { return unsafe (address, target, type) }
        unsafe target.storeBytes(of: 1, as: UInt8.self)
        return unsafe (address, target + type.wrappedOffset, wrapped)
    }

    /// The memory of so many items that the argument points to, and where they go.
    private func items(
        _ count: Int, stride: Int
    ) throws(RecordError) -> (items: UnsafeRawBufferPointer, memory: UnsafeMutableRawPointer)? {
        guard count <= Self.largest / stride else {
            throw RecordError(.outOfRange, "a count of \(count) is beyond the limit of 1 GiB")
        }
        // Safe because the source is a pointer.
        if count == 0, !type.isOptional, unsafe source.load(as: UInt.self) == 0 {
            return unsafe (UnsafeRawBufferPointer(start: nil, count: 0), target)
        }
        guard let (address, memory, _) = unsafe try present() else { return nil }
        if isProbed { unsafe try ForeignProbe.checkMemory(address, size: count * stride) }
        return unsafe (UnsafeRawBufferPointer(start: address, count: count * stride), memory)
    }
}

extension ValueType {
    /// The type without `?`.
    fileprivate var unwrapped: ValueType { if case .optional(let wrapped) = self { wrapped } else { self } }
}
