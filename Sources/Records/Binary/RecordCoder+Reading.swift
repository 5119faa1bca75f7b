import CForeignCall

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension RecordCoder {
    /// Reads a record.
    public func read(_ reader: inout ByteReader) throws(DamagedBytes) -> Record {
        var record = Record(type)
        // Safe because the record is of the type, as all memory below, and the reader checks its bounds.
        unsafe try read(into: record.unsafeMutableBase(), root, &reader)
        return record
    }

    /// Reads a record into the memory of another one.
    ///
    /// - Throws: when it is damaged; the record may have a part of it then.
    public func readAgain(into record: inout Record, _ reader: inout ByteReader) throws(DamagedBytes) {
        unsafe try read(into: record.unsafeMutableBase(), root, &reader)
    }

    /// Reads a record into the memory of another one of the type, which is initialised.
    ///
    /// - Throws: when it is damaged; the memory may have a part of it then.
    package func read(
        intoRecordAt base: UnsafeMutableRawPointer, _ reader: inout ByteReader
    ) throws(DamagedBytes) { unsafe try read(into: base, root, &reader) }

    /// Applies a difference to the record that it was written from.
    ///
    /// - Returns: whether the record was written in whole, as its case was entered.
    /// - Throws: when it is damaged; the record may have a part of the difference then.
    public func readDifference(
        into record: inout Record, _ reader: inout ByteReader
    ) throws(DamagedBytes) -> Bool {
        unsafe try readDifference(into: record.unsafeMutableBase(), root, &reader)
    }

    // MARK: - Whole values

    private func read(
        into record: UnsafeMutableRawPointer, _ index: Int32, _ reader: inout ByteReader
    ) throws(DamagedBytes) {
        let plan = unsafe plans[Int(index)]
        var current: Range<Int32> = 0..<0
        if !plan.cases.isEmpty {
            let tag = try reader.index(below: plan.cases.count)
            // Cases are in the outermost record only.
            unsafe ValueMemory.changeCase(record, to: tag, of: type)
            unsafe current = cases[Int(plan.cases.lowerBound) + tag]
        } else if plan.fields.isEmpty {
            guard try reader.byte() == 0 else { throw DamagedBytes("an empty record has a value") }
        }
        for field in plan.fields { unsafe try read(into: record, field: field, &reader) }
        for field in current { unsafe try read(into: record, field: field, &reader) }
    }

    private func read(
        into record: UnsafeMutableRawPointer, field: Int32, _ reader: inout ByteReader
    ) throws(DamagedBytes) {
        let field = unsafe fields[Int(field)]
        unsafe try read(into: record + Int(field.offset), as: shapes[Int(field.shape)], &reader)
    }

    private func read(
        into value: UnsafeMutableRawPointer, as shape: Shape, _ reader: inout ByteReader
    ) throws(DamagedBytes) {
        switch shape.kind {
        case .float: unsafe value.storeBytes(of: try reader.fixed(), as: UInt32.self)
        case .double: unsafe value.storeBytes(of: try reader.fixed(), as: UInt64.self)
        case .text, .bytes:
            let bytes = unsafe try reader.value()
            unsafe try store(bytes, to: value, shape)
        case .list:
            let element = unsafe shapes[Int(shape.detail)]
            // So a short message asks for little memory.
            let count = try reader.number(upTo: reader.rest / Int(max(1, element.least)))
            guard !isForeign || count <= Self.mostListBytes / Int(max(1, shape.distance)) else {
                throw DamagedBytes("a list of \(count) elements is too long")
            }
            unsafe try readElements(count, between: (0, 0), of: value, shape, &reader)
        case .record: unsafe try read(into: value, shape.detail, &reader)
        case .optional: unsafe try readOptional(into: value, reader.byte(), shape, &reader)
        case .pointer:
            guard try reader.byte() == 0 else { throw DamagedBytes("a pointer has a value") }
            unsafe value.storeBytes(of: 0, as: UInt.self)
        case .address: unsafe value.storeBytes(of: try reader.fixed(), as: UInt.self)
        case .array:
            for offset in stride(from: 0, to: Int(shape.size), by: Int(shape.distance)) {
                unsafe try read(into: value + offset, as: shapes[Int(shape.detail)], &reader)
            }
        case .u8, .u16, .u32, .u64, .bool, .enumeration:
            let number = try reader.number()
            unsafe try store(Int64(bitPattern: number), to: value, shape)
        case .i8, .i16, .i32, .i64: unsafe try store(reader.signed(), to: value, shape)
        }
    }

    private func readOptional(
        into value: UnsafeMutableRawPointer, _ form: UInt8, _ shape: Shape, _ reader: inout ByteReader
    ) throws(DamagedBytes) {
        let wrapped = unsafe value + Int(shape.distance)
        switch form {
        case 0:
            let type = types[Int(shape.type)]
            unsafe ValueMemory.destroy(value, as: type)
            unsafe ValueMemory.initialize(value, as: type)
        case 1:
            unsafe value.storeBytes(of: 1, as: UInt8.self)
            unsafe try read(into: wrapped, as: shapes[Int(shape.detail)], &reader)
        case 2:
            guard unsafe value.load(as: UInt8.self) != 0 else {
                throw DamagedBytes("an absent value has a difference")
            }
            unsafe try readDifference(ofValue: wrapped, shapes[Int(shape.detail)], &reader)
        default: throw DamagedBytes("\(form) is no form of an optional")
        }
    }

    /// Stores an integer with the bits of its type.
    private func store(_ number: Int64, to value: UnsafeMutableRawPointer, _ shape: Shape)
        throws(DamagedBytes)
    {
        let fits =
            switch shape.kind {
            case .bool:
                unsafe (0...1).contains(number) && ValueMemory.storeInteger(number, to: value, as: .u8)
            case .enumeration:
                unsafe (0..<Int64(shape.detail)).contains(number)
                    && ValueMemory.storeInteger(number, to: value, as: .i32)
            case .i8: unsafe ValueMemory.storeInteger(number, to: value, as: .i8)
            case .u8: unsafe ValueMemory.storeInteger(number, to: value, as: .u8)
            case .i16: unsafe ValueMemory.storeInteger(number, to: value, as: .i16)
            case .u16: unsafe ValueMemory.storeInteger(number, to: value, as: .u16)
            case .i32: unsafe ValueMemory.storeInteger(number, to: value, as: .i32)
            case .u32: unsafe ValueMemory.storeInteger(number, to: value, as: .u32)
            default: unsafe ValueMemory.storeInteger(number, to: value, as: .i64)
            }
        guard fits else { throw DamagedBytes("\(number) does not fit `\(types[Int(shape.type)].name)`") }
    }

    private func store(
        _ bytes: UnsafeRawBufferPointer, to value: UnsafeMutableRawPointer, _ shape: Shape
    ) throws(DamagedBytes) {
        unsafe ValueMemory.storeBytes(bytes, to: value)
        guard isForeign, shape.kind == .text else { return }
        // The copy is checked: other code may change the bytes meanwhile.
        do throws(UTF8.ValidationError) {
            _ = unsafe try UTF8Span(validating: ValueMemory.span(value).bindMemory(to: UInt8.self).span)
        } catch {
            unsafe ValueMemory.storeBytes(UnsafeRawBufferPointer(start: nil, count: 0), to: value)
            throw DamagedBytes("a text is not UTF-8")
        }
    }

    // MARK: - Differences

    @discardableResult
    private func readDifference(
        into record: UnsafeMutableRawPointer, _ index: Int32, _ reader: inout ByteReader
    ) throws(DamagedBytes) -> Bool {
        let plan = unsafe plans[Int(index)]
        var current: Range<Int32> = 0..<0
        if !plan.cases.isEmpty {
            let tag = unsafe Int32(record.load(as: Int32.self))
            guard tag >= 0, tag < Int32(plan.cases.count) else { throw DamagedBytes("there is no such case") }
            unsafe current = cases[Int(plan.cases.lowerBound + tag)]
        }
        while true {
            let code = try reader.number(upTo: 1 + plan.fields.count + current.count)
            switch code {
            case 0: return false
            case 1:
                unsafe try read(into: record, index, &reader)
                return true
            default:
                let number = Int32(code - 2)
                let own = Int32(plan.fields.count)
                let field =
                    number < own
                    ? plan.fields.lowerBound + number : current.lowerBound + number - own
                let found = unsafe fields[Int(field)]
                unsafe try readDifference(
                    ofValue: record + Int(found.offset), shapes[Int(found.shape)], &reader)
            }
        }
    }

    private func readDifference(
        ofValue value: UnsafeMutableRawPointer, _ shape: Shape, _ reader: inout ByteReader
    ) throws(DamagedBytes) {
        switch shape.kind {
        case .bool, .i8, .i16, .i32, .i64, .u8, .u16, .u32, .u64:
            let difference = try reader.signed()
            unsafe try store(integer(value, shape.kind) &+ difference, to: value, shape)
        case .float, .double, .enumeration, .pointer, .address, .array:
            unsafe try read(into: value, as: shape, &reader)
        case .record: unsafe try readDifference(into: value, shape.detail, &reader)
        case .optional: unsafe try readOptional(into: value, reader.byte(), shape, &reader)
        case .text, .bytes, .list: unsafe try readSplice(into: value, shape, &reader)
        }
    }

    private func readSplice(
        into value: UnsafeMutableRawPointer, _ shape: Shape, _ reader: inout ByteReader
    ) throws(DamagedBytes) {
        let count = unsafe value.load(fromByteOffset: 8, as: Int.self)
        let start = try reader.number(upTo: count)
        let end = try reader.number(upTo: count - start)
        let added = try reader.count()
        guard shape.kind != .list else {
            return unsafe try readElements(added, between: (start, end), of: value, shape, &reader)
        }
        let middle = unsafe try reader.raw(added)
        let old = unsafe ValueMemory.span(value)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: start + added + end, alignment: 1)
        defer { unsafe bytes.deallocate() }
        unsafe bytes.copyBytes(from: old.prefix(start))
        unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start...]).copyBytes(from: middle)
        unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[(start + added)...]).copyBytes(
            from: old.suffix(end))
        unsafe try store(UnsafeRawBufferPointer(bytes), to: value, shape)
    }

    /// Makes a list of the first and last elements of the list at `value`, and elements that are read between.
    private func readElements(
        _ added: Int, between kept: (start: Int, end: Int), of value: UnsafeMutableRawPointer, _ shape: Shape,
        _ reader: inout ByteReader
    ) throws(DamagedBytes) {
        let (element, stride) = unsafe (shapes[Int(shape.detail)], Int(shape.distance))
        let type = types[Int(element.type)]
        let (count, known) = unsafe (
            kept.start + added + kept.end, value.load(fromByteOffset: 8, as: Int.self)
        )
        guard count > 0 else {
            unsafe ValueMemory.storeList(foreign_block_empty()!, count: 0, element: type, to: value)
            return
        }
        let old = unsafe value.load(as: UnsafeRawPointer.self)
        let items = unsafe foreign_block_create(count * stride)!
        let middle = unsafe items + kept.start * stride
        if element.isTrivial {
            unsafe memset(middle, 0, added * stride)
        } else {
            for index in 0..<added { unsafe ValueMemory.initialize(middle + index * stride, as: type) }
        }
        for (target, source, count) in [
            (0, 0, kept.start), (kept.start + added, known - kept.end, kept.end),
        ] {
            unsafe memcpy(items + target * stride, old + source * stride, count * stride)
            guard !element.isTrivial else { continue }
            for index in 0..<count { unsafe ValueMemory.retain(items + (target + index) * stride, as: type) }
        }
        // The new list is stored before the elements are read, so that an error frees nothing twice.
        unsafe ValueMemory.destroy(value, as: types[Int(shape.type)])
        unsafe value.storeBytes(of: UnsafeRawPointer(items), as: UnsafeRawPointer.self)
        unsafe value.storeBytes(of: count, toByteOffset: 8, as: Int.self)
        for index in 0..<added { unsafe try read(into: middle + index * stride, as: element, &reader) }
    }
}
