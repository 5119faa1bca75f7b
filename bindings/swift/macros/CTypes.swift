/// A type of C that a type of Swift is passed as.
struct CType {
    let name: String
    let size: Int
    var alignment: Int { min(size, 8) }

    private static let known: [String: CType] = [
        "Bool": CType(name: "bool", size: 1),
        "Int8": CType(name: "int8_t", size: 1), "UInt8": CType(name: "uint8_t", size: 1),
        "Int16": CType(name: "int16_t", size: 2), "UInt16": CType(name: "uint16_t", size: 2),
        "Int32": CType(name: "int32_t", size: 4), "UInt32": CType(name: "uint32_t", size: 4),
        "Int64": CType(name: "int64_t", size: 8), "UInt64": CType(name: "uint64_t", size: 8),
        "Float": CType(name: "float", size: 4), "Double": CType(name: "double", size: 8),
        "Duration": CType(name: "spin_duration", size: 8),
        "Timestamp": CType(name: "spin_timestamp", size: 8),
        "String": CType(name: "spin_string", size: 16), "[UInt8]": CType(name: "spin_bytes", size: 16),
        "SharedBytes": CType(name: "spin_bytes", size: 16),
        "[String]": CType(name: "spin_list_string", size: 16),
    ]

    private init(name: String, size: Int) { (self.name, self.size) = (name, size) }

    /// The type with this name in Swift.
    init(_ type: String, at token: Token) throws(Fault) {
        guard let known = Self.known[type] else {
            let hint = type == "Int" || type == "UInt" ? "; write `\(type)64`" : ""
            throw Fault("a plugin cannot pass `\(type)`\(hint)", at: token)
        }
        self = known
    }

    /// Whether a macro knows the type.
    static func knows(_ type: String) -> Bool { known[type] != nil }
}

/// The members of a struct of C.
struct Layout {
    /// The parameters of a prototype, such as "int64_t n, spin_string s".
    private(set) var parameters = ""
    private(set) var offsets: [Int] = []
    private var end = 0
    private var alignment = 1

    mutating func add(_ type: CType, _ name: String) {
        end = (end + type.alignment - 1) / type.alignment * type.alignment
        offsets.append(end)
        end += type.size
        alignment = max(alignment, type.alignment)
        parameters += (parameters.isEmpty ? "" : ", ") + "\(type.name) \(name)"
    }

    /// In bytes.
    var size: Int { (end + alignment - 1) / alignment * alignment }
}
