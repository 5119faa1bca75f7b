#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension RecordCoder {
    /// Writes a record.
    public func write(_ record: borrowing Record, to writer: ByteWriter) {
        unsafe write(record.unsafeBase, root, to: writer)
    }

    /// Writes the record whose memory is there.
    package func write(recordAt base: UnsafeRawPointer, to writer: ByteWriter) {
        unsafe write(base, root, to: writer)
    }

    /// Writes how `record` differs from `known`, and makes `known` equal to it.
    ///
    /// - Parameters:
    ///   - known: no other record may share its memory, or it is copied first.
    ///   - whole: writes the whole record, for a case that was entered.
    public func writeDifference(
        of record: borrowing Record, from known: inout Record, whole: Bool, to writer: ByteWriter
    ) {
        unsafe writeDifference(ofRecordAt: record.unsafeBase, from: &known, whole: whole, to: writer)
    }

    /// The same of the record whose memory is there.
    package func writeDifference(
        ofRecordAt base: UnsafeRawPointer, from known: inout Record, whole: Bool, to writer: ByteWriter
    ) {
        // Safe because both are of the type.
        unsafe writeDifference(of: base, from: known.unsafeMutableBase(), root, whole: whole, to: writer)
    }

    // MARK: - Whole values

    private func write(_ record: UnsafeRawPointer, _ plan: Int32, to writer: ByteWriter) {
        let plan = unsafe plans[Int(plan)]
        var current: Range<Int32> = 0..<0
        if !plan.cases.isEmpty {
            let tag = unsafe record.load(as: Int32.self)
            writer.put(UInt64(UInt32(bitPattern: tag)))
            if tag >= 0, tag < Int32(plan.cases.count) {
                unsafe current = cases[Int(plan.cases.lowerBound + tag)]
            }
        } else if plan.fields.isEmpty {
            writer.put(byte: 0)
        }
        for field in plan.fields { unsafe write(record, field: field, to: writer) }
        for field in current { unsafe write(record, field: field, to: writer) }
    }

    private func write(_ record: UnsafeRawPointer, field: Int32, to writer: ByteWriter) {
        let field = unsafe fields[Int(field)]
        unsafe write(record + Int(field.offset), as: shapes[Int(field.shape)], to: writer)
    }

    private func write(_ value: UnsafeRawPointer, as shape: Shape, to writer: ByteWriter) {
        switch shape.kind {
        case .float: unsafe writer.put(fixed: value.load(as: UInt32.self))
        case .double: unsafe writer.put(fixed: value.load(as: UInt64.self))
        case .text, .bytes: unsafe writer.put(value: ValueMemory.span(value))
        case .list:
            let count = unsafe value.load(fromByteOffset: 8, as: Int.self)
            writer.put(count: count)
            unsafe write(
                elements: 0..<count, of: value.load(as: UnsafeRawPointer.self), as: shape, to: writer)
        case .record: unsafe write(value, shape.detail, to: writer)
        case .optional:
            let has = unsafe value.load(as: UInt8.self) != 0
            writer.put(byte: has ? 1 : 0)
            if has {
                unsafe write(value + Int(shape.distance), as: shapes[Int(shape.detail)], to: writer)
            }
        case .pointer: writer.put(byte: 0)
        case .address: unsafe writer.put(fixed: value.load(as: UInt.self))
        case .array:
            for offset in stride(from: 0, to: Int(shape.size), by: Int(shape.distance)) {
                unsafe write(value + offset, as: shapes[Int(shape.detail)], to: writer)
            }
        case .enumeration:
            // Foreign code can write any number there.
            let index = unsafe integer(value, shape.kind)
            writer.put(UInt64(index < Int64(shape.detail) ? index : 0))
        case .u8, .u16, .u32, .u64, .bool:
            unsafe writer.put(UInt64(bitPattern: integer(value, shape.kind)))
        case .i8, .i16, .i32, .i64: unsafe writer.put(signed: integer(value, shape.kind))
        }
    }

    private func write(
        elements: Range<Int>, of items: UnsafeRawPointer, as list: Shape, to writer: ByteWriter
    ) {
        let (element, stride) = unsafe (shapes[Int(list.detail)], Int(list.distance))
        for index in elements { unsafe write(items + index * stride, as: element, to: writer) }
    }

    /// Any integer, with the bits of a `u64`.
    @inline(__always)
    func integer(_ value: UnsafeRawPointer, _ kind: Shape.Kind) -> Int64 {
        switch kind {
        case .i8: unsafe Int64(value.load(as: Int8.self))
        case .u8: unsafe Int64(value.load(as: UInt8.self))
        // Foreign code can write any byte there.
        case .bool: unsafe value.load(as: UInt8.self) == 0 ? 0 : 1
        case .i16: unsafe Int64(value.load(as: Int16.self))
        case .u16: unsafe Int64(value.load(as: UInt16.self))
        case .i32: unsafe Int64(value.load(as: Int32.self))
        case .u32, .enumeration: unsafe Int64(value.load(as: UInt32.self))
        default: unsafe value.load(as: Int64.self)
        }
    }

    // MARK: - Differences

    private func writeDifference(
        of new: UnsafeRawPointer, from old: UnsafeMutableRawPointer, _ index: Int32, whole: Bool,
        to writer: ByteWriter
    ) {
        let plan = unsafe plans[Int(index)]
        var current: Range<Int32> = 0..<0
        if !plan.cases.isEmpty {
            let tag = unsafe new.load(as: Int32.self)
            if unsafe whole || old.load(as: Int32.self) != tag {
                writer.put(byte: 1)
                unsafe write(new, index, to: writer)
                // Cases are in the outermost record only.
                return unsafe ValueMemory.assign(old, from: new, as: .record(type))
            }
            if tag >= 0, tag < Int32(plan.cases.count) {
                unsafe current = cases[Int(plan.cases.lowerBound + tag)]
            }
        }
        var number: UInt64 = 2
        for field in plan.fields {
            unsafe writeDifference(of: new, from: old, field: field, number, to: writer)
            number += 1
        }
        for field in current {
            unsafe writeDifference(of: new, from: old, field: field, number, to: writer)
            number += 1
        }
        writer.put(byte: 0)
    }

    @inline(__always)
    private func writeDifference(
        of new: UnsafeRawPointer, from old: UnsafeMutableRawPointer, field: Int32, _ number: UInt64,
        to writer: ByteWriter
    ) {
        let field = unsafe fields[Int(field)]
        let shape = unsafe shapes[Int(field.shape)]
        let (new, old) = unsafe (new + Int(field.offset), old + Int(field.offset))
        guard unsafe !areEqual(new, old, shape) else { return }
        writer.put(number)
        unsafe writeDifference(ofValue: new, from: old, shape, to: writer)
    }

    @inline(__always)
    private func areEqual(_ new: UnsafeRawPointer, _ old: UnsafeRawPointer, _ shape: Shape) -> Bool {
        switch shape.kind {
        case .i64, .u64, .double: unsafe new.load(as: UInt64.self) == old.load(as: UInt64.self)
        case .i32, .u32, .float, .enumeration:
            unsafe new.load(as: UInt32.self) == old.load(as: UInt32.self)
        case .bool, .i8, .u8: unsafe new.load(as: UInt8.self) == old.load(as: UInt8.self)
        case .i16, .u16: unsafe new.load(as: UInt16.self) == old.load(as: UInt16.self)
        case .pointer: true
        case .address, .array, .text, .bytes, .list, .record, .optional:
            unsafe ValueMemory.equal(new, old, as: types[Int(shape.type)])
        }
    }

    /// Writes how a value differs, and makes the old one equal to it.
    private func writeDifference(
        ofValue new: UnsafeRawPointer, from old: UnsafeMutableRawPointer, _ shape: Shape,
        to writer: ByteWriter
    ) {
        switch shape.kind {
        case .bool, .i8, .i16, .i32, .i64, .u8, .u16, .u32, .u64:
            unsafe writer.put(signed: integer(new, shape.kind) &- integer(old, shape.kind))
        case .float, .double, .enumeration, .pointer, .address, .array:
            unsafe write(new, as: shape, to: writer)
        case .record:
            return unsafe writeDifference(of: new, from: old, shape.detail, whole: false, to: writer)
        case .optional:
            let (has, had) = unsafe (new.load(as: UInt8.self) != 0, old.load(as: UInt8.self) != 0)
            guard has && had else {
                unsafe write(new, as: shape, to: writer)
                break
            }
            writer.put(byte: 2)
            let distance = Int(shape.distance)
            return unsafe writeDifference(
                ofValue: new + distance, from: old + distance, shapes[Int(shape.detail)], to: writer)
        case .text, .bytes, .list: unsafe writeSplice(from: old, to: new, shape, to: writer)
        }
        if shape.isTrivial {
            unsafe memcpy(old, new, Int(shape.size))
        } else {
            unsafe ValueMemory.assign(old, from: new, as: types[Int(shape.type)])
        }
    }

    /// Writes how many elements at the start and at the end are kept, and the elements between.
    private func writeSplice(
        from old: UnsafeRawPointer, to new: UnsafeRawPointer, _ shape: Shape, to writer: ByteWriter
    ) {
        let before = unsafe Elements(old, shape, shapes, types)
        let after = unsafe Elements(new, shape, shapes, types)
        let kept = after.prefix(sharedWith: before)
        let end = after.suffix(sharedWith: before, beyond: kept)
        let middle = kept..<after.count - end
        writer.put(count: kept)
        writer.put(count: end)
        writer.put(count: middle.count)
        if shape.kind == .list {
            unsafe write(elements: middle, of: after.items, as: shape, to: writer)
        } else {
            unsafe writer.put(
                raw: UnsafeRawBufferPointer(start: after.items + middle.lowerBound, count: middle.count))
        }
    }
}

/// The elements of a list, or the bytes of a string.
// Safe because it is used only while the value exists.
@safe
private struct Elements {
    let items: UnsafeRawPointer
    let count: Int
    private let stride: Int
    /// The type of an element that owns memory.
    private let type: ValueType?

    init(
        _ value: UnsafeRawPointer, _ shape: RecordCoder.Shape,
        _ shapes: UnsafeMutableBufferPointer<RecordCoder.Shape>, _ types: [ValueType]
    ) {
        unsafe items = value.load(as: UnsafeRawPointer.self)
        unsafe count = value.load(fromByteOffset: 8, as: Int.self)
        guard shape.kind == .list else {
            (stride, type) = (1, nil)
            return
        }
        let element = unsafe shapes[Int(shape.detail)]
        (stride, type) = (Int(shape.distance), element.isTrivial ? nil : types[Int(element.type)])
    }

    func prefix(sharedWith other: Elements) -> Int {
        let most = min(count, other.count)
        // Most lists and texts grow at their end.
        if type == nil, unsafe memcmp(items, other.items, most * stride) == 0 { return most }
        var shared = 0
        while shared < most, isEqual(shared, other, shared) { shared += 1 }
        return shared
    }

    func suffix(sharedWith other: Elements, beyond prefix: Int) -> Int {
        let most = min(count, other.count) - prefix
        var shared = 0
        while shared < most, isEqual(count - 1 - shared, other, other.count - 1 - shared) { shared += 1 }
        return shared
    }

    private func isEqual(_ index: Int, _ other: Elements, _ otherIndex: Int) -> Bool {
        let (one, two) = unsafe (items + index * stride, other.items + otherIndex * stride)
        guard let type else { return unsafe memcmp(one, two, stride) == 0 }
        return unsafe ValueMemory.equal(one, two, as: type)
    }
}
