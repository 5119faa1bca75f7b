public import Records

/// The description of an emission in its plugin's notes: the struct that the plugin emits, and the record
/// made from it.
public struct EmitterDescription: Hashable, Sendable {
    /// One field of an emission.
    public struct Field: Hashable, Sendable {
        /// Its name, in the struct and in the record.
        public let name: String
        /// Its type in the plugin's struct.
        public let type: CType
        /// Distance in bytes from the start of the plugin's struct.
        public let offset: Int
        /// How the host reads it into the field of the record.
        public let received: ReceivedValue
    }

    /// Its name, as in `emits.NAME` of a manifest.
    public let name: String
    /// The fields in the order of the plugin's struct.
    public let fields: [Field]
    /// Size in bytes of the plugin's struct; 0 without fields.
    public let payloadSize: Int
    /// The type of `value` in expressions: a record with the same field names in the same order.
    public let payload: RecordType
    /// Its documentation; may be empty.
    public let doc: String

    /// Computes the layout of the struct whose members are the parameters of `prototype`.
    ///
    /// - Throws: `InterfaceError` for a parameter that cannot be a field.
    init(name: String, prototype: CFunction, doc: String) throws(InterfaceError) {
        var received: [ReceivedValue] = []
        for (index, parameter) in prototype.parameters.enumerated() {
            received.append(try Self.received(parameter, index + 1, of: name))
        }
        let layout =
            prototype.parameters.isEmpty
            ? nil : CStructure(name: "", members: prototype.parameters.map { ($0.name, $0.type) })
        (self.name, self.doc) = (name, doc)
        fields = zip(layout?.members ?? [], received).map { member, received in
            Field(name: member.name, type: member.type, offset: member.offset, received: received)
        }
        payloadSize = layout?.size ?? 0
        payload = RecordType(fields.map { ($0.name, $0.received.type) })
    }

    private static func received(
        _ parameter: CParameter, _ position: Int, of name: String
    ) throws(InterfaceError) -> ReceivedValue {
        switch parameter.type {
        case .string: return ReceivedValue(form: .text, type: .string)
        case .bytes: return ReceivedValue(form: .bytes, type: .bytes)
        case .pointer(let pointer)
        where pointer.isOpaque && !parameter.type.isCall && !parameter.type.isInstance:
            return ReceivedValue(form: .plain, type: .pointer)
        case .pointer(let pointer) where pointer.pointee == .character && pointer.bound == .none:
            return ReceivedValue(form: .cString, type: .string)
        case .value(let value) where !parameter.type.hasCases:
            return ReceivedValue(form: .plain, type: value.type)
        case .pointer, .value: break
        case let type:
            if let value = type.valueType { return ReceivedValue(form: .plain, type: value) }
        }
        throw InterfaceError(
            .pluginDeclaration,
            "field \(position) `\(parameter.name)` of emitter `\(name)` is `\(parameter.text)`, "
                + "a type that the host cannot copy",
            help: ["use `spin_bytes` for memory, `const char *` or `spin_string` for text"])
    }
}
