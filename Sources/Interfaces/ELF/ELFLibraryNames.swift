/// The names of libraries in a file, its own and those that it needs, and where each can be changed in place.
///
/// The dynamic loader binds a library to the first one it has under the name (glibc, `_dl_map_object`). A copy
/// must therefore have another name than the version before, and so must the entry in the copy that needs it.
struct ELFLibraryNames: Sendable {
    /// The offset in the file of each name that can be changed.
    private let offsets: [String: UInt64]

    init(_ dynamic: ELFDynamic) {
        var offsets: [String: UInt64] = [:]
        for start in dynamic.nameOffsets {
            guard let text = dynamic.strings.text(at: Int(start)) else { continue }
            // Linkers let names share their ends: one that is part of another is left alone.
            let isWhole = start > 0 && dynamic.strings[Int(start) - 1] == 0
            let isShared = dynamic.nameOffsets.contains { $0 > start && $0 < start + UInt64(text.count) }
            guard isWhole, !isShared else { continue }
            offsets[String(decoding: text, as: UTF8.self)] = dynamic.stringsOffset + start
        }
        self.offsets = offsets
    }

    func offset(of name: String) -> UInt64? { offsets[name] }
}

extension ELFFile {
    /// Bytes to write into a copy of a file.
    public struct Patch: Sendable {
        /// Where, in bytes from the start of the file.
        public let offset: UInt64
        /// Takes the place of as many bytes.
        public let bytes: [UInt8]
    }

    /// What makes a copy of this file have, and need, libraries of other names.
    ///
    /// - Parameter names: other names for this library and for those that it needs, by the names in the file. Each
    ///   must have as many bytes as the one before, and end as that does from its last dot on: a symbol's
    ///   name may share that end (`renamed`).
    /// - Returns: nil when the file has one of the names in a place that cannot be changed.
    public func patches(renaming names: [String: String]) -> [Patch]? {
        var patches: [Patch] = []
        for (old, new) in names {
            guard old.utf8.count == new.utf8.count, let offset = self.names.offset(of: old) else {
                return nil
            }
            patches.append(Patch(offset: offset, bytes: Array(new.utf8)))
        }
        return patches
    }

    /// Another name for a library, different for each number, that can be written in place of `name`.
    ///
    /// The last characters before the last dot become `~` and the number: `libcore.so` with 1 is `lib~001.so`.
    ///
    /// - Returns: nil when the name is too short for that.
    public static func renamed(_ name: String, number: Int) -> String? {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), name.utf8.allSatisfy({ $0 < 0x80 }) else {
            return nil
        }
        let (stem, end) = (name[..<dot], name[dot...])
        let digits = String(number, radix: 36)
        let count = max(3, digits.count)
        guard stem.count > count else { return nil }
        let zeros = String(repeating: "0", count: count - digits.count)
        return stem.dropLast(count + 1) + "~" + zeros + digits + end
    }
}
