import Records

/// Writes C declarations of records.
///
/// It is a class, because the writers of the parts share it, and a copy would copy the whole text.
final class HeaderWriter {
    /// The text so far.
    var text = ""
    /// The names of the whole header.
    var names = CName.Scope()
    // Fields of the same type share the C type that is named after the first, so that C can assign one to the
    // other.
    private var known: [ValueType: String] = [:]

    /// A tag before the fields of a struct, and a union after them.
    struct Variants {
        /// The members of the union, by type and name.
        let members: [(type: String, name: String)]
        /// Distance in bytes from the start of the struct to the union; nil if there is no union.
        let offset: Int?
    }

    /// Starts a part, whose types are separate from those of other parts.
    func beginPart(_ title: String) {
        known = [:]
        text += "/* \(String(repeating: "-", count: 70))\n * \(title)\n */\n\n"
    }

    // MARK: Structs

    /// Writes a struct with a record's fields, after the types that the fields need.
    func structure(
        _ name: String, _ type: RecordType, path: String, docs: [String: String] = [:]
    ) {
        structure(name, fields: type.fields[...], size: type.size, path: path, docs: docs, variants: nil)
    }

    /// Writes a struct with fields, between a tag and a union if it has variants.
    func structure(
        _ name: String, fields: ArraySlice<RecordType.Field>, size: Int, path: String,
        docs: [String: String], variants: Variants?
    ) {
        var scope = CName.Scope()
        var lines = ""
        var asserts = "SPIN_SIZE(\(name), \(size));\n"
        if variants != nil { lines += "    int32_t \(scope.name("tag"));\n" }
        for field in fields {
            let member = scope.name(field.name)
            let type = self.type(field.type, path: "\(path)_\(field.name)")
            lines += CComment.line(docs[field.name], indentation: "    ")
            lines += "    \(Self.declaration(type, member));\n"
            asserts += "SPIN_LAYOUT(\(name), \(member), \(field.offset));\n"
        }
        if let variants, let offset = variants.offset {
            var scope = CName.Scope()
            let members = variants.members.map { "        \($0.type) \(scope.name($0.name));\n" }.joined()
            lines += "    union {\n\(members.isEmpty ? "        uint8_t none;\n" : members)    } as;\n"
            asserts += "SPIN_LAYOUT(\(name), as, \(offset));\n"
        }
        // C has no empty structs.
        if lines.isEmpty { lines = "    uint8_t none;\n" }
        text += "typedef struct \(name) {\n\(lines)} \(name);\n\(asserts)\n"
    }

    private static func declaration(_ type: String, _ name: String) -> String {
        type.hasSuffix("*") ? type + name : "\(type) \(name)"
    }

    /// The C type of a value type. Writes its declaration first, if this is its first use.
    private func type(_ type: ValueType, path: String) -> String {
        if let name = known[type] { return name }
        switch type {
        case .bool: return "bool"
        case .integer(let integer): return "\(integer.isSigned ? "" : "u")int\(integer.size * 8)_t"
        case .float: return "float"
        case .double: return "double"
        case .string: return "spin_string"
        case .bytes: return "spin_bytes"
        case .duration: return "spin_duration"
        case .timestamp: return "spin_timestamp"
        case .pointer: return "void *"
        case .enumeration(let enumeration):
            for (index, member) in enumeration.members.enumerated() { constant("\(path)_\(member)", index) }
            text += "\n"
            known[type] = "int32_t"
            return "int32_t"
        case .record(let record):
            let name = names.name(path)
            structure(name, record, path: path)
            known[type] = name
            return name
        case .list(let element):
            let inner = self.type(element, path: "\(path)_item")
            let name = names.name(path)
            let items = inner.hasSuffix("*") ? "\(inner)const *items" : "const \(inner) *items"
            text += "typedef struct \(name) {\n    \(items);\n    size_t count;\n} \(name);\n\n"
            known[type] = name
            return name
        case .optional(let wrapped):
            let inner = self.type(wrapped, path: "\(path)_value")
            let name = names.name(path)
            text += "typedef struct \(name) {\n    bool has;\n    \(Self.declaration(inner, "value"));\n"
            text += "} \(name);\nSPIN_SIZE(\(name), \(type.size));\n\n"
            known[type] = name
            return name
        case .array: preconditionFailure("a manifest cannot declare arrays")
        }
    }

    /// Writes a constant and returns its name.
    @discardableResult
    func constant(_ path: String, _ value: Int) -> String {
        let name = names.name(CName.constant(path))
        text += "#define \(name) ((int32_t)\(value))\n"
        return name
    }
}
