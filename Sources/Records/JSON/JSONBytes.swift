extension [UInt8] {
    /// Appends a value as JSON (`Value.json`), in UTF-8.
    public mutating func appendJSON(_ value: Value) {
        switch value {
        case .null, .pointer, .optional(nil): append("null")
        case .bool(let value): append(value ? "true" : "false")
        case .int(let value): appendJSON(value)
        case .uint(let value): appendJSON(value)
        case .double(let value): appendJSON(value)
        case .string(let value), .type(let value): appendJSON(value)
        case .optional(let value?): appendJSON(value)
        case .network(let address): appendQuoted(address.description)
        case .bytes(let value): appendQuoted(Base64.encode(value))
        case .duration(let nanoseconds): appendQuoted(TimeText.duration(nanoseconds: nanoseconds))
        case .timestamp(let value): appendQuoted(TimeText.rfc3339(value))
        case .list(let values):
            append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { append(UInt8(ascii: ",")) }
                appendJSON(value)
            }
            append(UInt8(ascii: "]"))
        case .map(let entries):
            append(UInt8(ascii: "{"))
            for (index, entry) in entries.enumerated() {
                if index > 0 { append(UInt8(ascii: ",")) }
                if case .string(let key) = entry.key { appendJSON(key) } else { appendJSON(entry.key.json) }
                append(UInt8(ascii: ":"))
                appendJSON(entry.value)
            }
            append(UInt8(ascii: "}"))
        }
    }

    /// Appends a record as the JSON of its `value`, without making that.
    public mutating func appendJSON(_ record: Record) {
        // Safe because the record keeps its memory while it is read.
        unsafe appendJSON(record.unsafeBase, as: record.type)
    }

    private mutating func appendJSON(_ memory: UnsafeRawPointer, as record: RecordType) {
        var separator = UInt8(ascii: "{")
        // Safe because the memory holds an initialised record of the type.
        func append(_ field: RecordType.Field, to bytes: inout [UInt8]) {
            bytes.append(separator)
            separator = UInt8(ascii: ",")
            bytes.appendJSON(field.name)
            bytes.append(UInt8(ascii: ":"))
            unsafe bytes.appendJSON(memory + field.offset, as: field.type)
        }
        for field in record.fields { append(field, to: &self) }
        if let index = unsafe ValueMemory.caseIndex(memory, of: record) {
            for field in record.cases[index].fields { append(field, to: &self) }
        }
        if separator == UInt8(ascii: "{") { self.append(separator) }
        self.append(UInt8(ascii: "}"))
    }

    private mutating func appendJSON(_ memory: UnsafeRawPointer, as type: ValueType) {
        // Safe because the memory holds an initialised value of the type.
        switch type {
        case .bool: unsafe append(memory.load(as: UInt8.self) != 0 ? "true" : "false")
        case .integer(.u64): unsafe appendJSON(memory.load(as: UInt64.self))
        case .integer(let integer): unsafe appendJSON(ValueMemory.loadInteger(memory, as: integer))
        case .double: unsafe appendJSON(memory.load(as: Double.self))
        case .string:
            let text = unsafe ValueMemory.span(memory)
            // Foreign code may have written bytes that are not UTF-8. The copy has replaced them.
            if unsafe text.allSatisfy({ $0 < 0x80 }) {
                unsafe appendEscaped(text)
            } else {
                unsafe appendJSON(ValueMemory.loadString(memory))
            }
        case .record(let record): unsafe appendJSON(memory, as: record)
        default: unsafe appendJSON(ValueMemory.load(memory, as: type))
        }
    }

    /// Appends an integer in decimal digits.
    public mutating func appendJSON(_ number: Int64) {
        if number < 0 { append(UInt8(ascii: "-")) }
        appendJSON(number.magnitude)
    }

    /// Appends an integer in decimal digits.
    public mutating func appendJSON(_ number: UInt64) {
        let most = 20
        // Safe because a number of 64 bits has at most 20 digits, and only those that are written are read.
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: most) { digits in
            var (rest, start) = (number, most)
            repeat {
                start -= 1
                unsafe digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            unsafe append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }

    private mutating func appendJSON(_ number: Double) {
        if number.isFinite { return append(contentsOf: number.description.utf8) }
        append(number.isNaN ? "\"NaN\"" : number < 0 ? "\"-Infinity\"" : "\"Infinity\"")
    }

    /// Appends a JSON string. Quotes, backslashes and control characters are escaped (RFC 8259, section 7).
    public mutating func appendJSON(_ string: String) {
        var string = string
        // Safe because the bytes are borrowed for the call.
        string.withUTF8 { bytes in unsafe appendEscaped(UnsafeRawBufferPointer(bytes)) }
    }

    private mutating func appendEscaped(_ text: UnsafeRawBufferPointer) {
        append(UInt8(ascii: "\""))
        // Where the bytes begin that are not appended yet.
        var start = 0
        for index in text.indices {
            let byte = unsafe text[index]
            guard byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
            else { continue }
            unsafe append(contentsOf: UnsafeRawBufferPointer(rebasing: text[start..<index]))
            start = index + 1
            appendEscape(byte)
        }
        unsafe append(contentsOf: UnsafeRawBufferPointer(rebasing: text[start...]))
        append(UInt8(ascii: "\""))
    }

    private mutating func appendEscape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case UInt8(ascii: "\n"): append("\\n")
        case UInt8(ascii: "\r"): append("\\r")
        case UInt8(ascii: "\t"): append("\\t")
        default:
            let digits = String(byte, radix: 16)
            append(digits.utf8.count == 1 ? "\\u000" : "\\u00")
            append(contentsOf: digits.utf8)
        }
    }

    /// Appends text that needs no escapes, in quotes.
    private mutating func appendQuoted(_ text: String) {
        append(UInt8(ascii: "\""))
        append(contentsOf: text.utf8)
        append(UInt8(ascii: "\""))
    }

    /// Appends text as it is.
    public mutating func append(_ text: StaticString) {
        // Safe because the text lives as long as the program.
        unsafe append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
