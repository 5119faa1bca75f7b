/// What the library keeps of one declaration: a description for its table, a note that says the same, and the
/// place for the address of the description (see entry.c).
struct Record {
    let name: String
    let kind: Int
    /// The types and values of the description's members after its head.
    var members: [(type: String, value: String)]
    /// The texts of the description, in order. The table has them too, if its description refers to texts.
    let texts: [String]
    /// The size of the description in bytes.
    let size: Int

    static let pointer = (type: "UInt", value: "0")

    /// The declarations of the three constants.
    var source: String {
        var contents: [UInt8] = []
        for text in texts { contents += Array(text.utf8) + [0] }
        let total = (8 + size + contents.count + 7) / 8 * 8
        var record = [("UInt64", "\(total)"), ("UInt32", "\(size)"), ("UInt16", "\(kind)"), ("UInt16", "0")]
        record += members.map { ($0.type, $0.value) }
        record += Self.bytes(contents, total - 8 - size)
        var note = [("UInt32", "9"), ("UInt32", "\(contents.count)"), ("UInt32", "\(kind)")]
        note += Self.bytes(Array("spinhost".utf8), 12) + Self.bytes(contents, (contents.count + 3) / 4 * 4)
        return """
            @section("spin_swift") @used nonisolated(unsafe) private var \(name): \(Self.tuple(record))
            @section(".note.spinhost") @used private let spin_note_\(name): \(Self.tuple(note))

            """
                + (kind == 1
                    ? ""
                    : """
                    @section("spin_descriptions") @used nonisolated(unsafe) private var spin_place_\(name): UInt = 0

                    """)
    }

    /// Bytes with zeros after them.
    private static func bytes(_ bytes: [UInt8], _ count: Int) -> [(String, String)] {
        if count == 0 { return [] }
        let all = bytes + Array(repeating: 0, count: count - bytes.count)
        return [("InlineArray<\(count), UInt8>", "[\(all.map(\.description).joined(separator: ", "))]")]
    }

    private static func tuple(_ members: [(String, String)]) -> String {
        "(\(members.map(\.0).joined(separator: ", "))) = (\(members.map(\.1).joined(separator: ", ")))"
    }
}
