import Glibc
import PluginHost

/// Reads memory as the table of a plugin. A word of the input whose upper 16 bits are `reference` points into
/// the input, and one with `code` is the address of a function.
enum TableInput {
    private static let reference: UInt64 = 0xADD0 << 48
    private static let code: UInt64 = 0xC0DE << 48

    static func run(_ bytes: [UInt8]) {
        let count = max(bytes.count, 56)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
        defer { unsafe memory.deallocate() }
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe memory.copyBytes(from: bytes)
        let start = UInt(bitPattern: memory.baseAddress!)
        for offset in stride(from: 0, through: count - 8, by: 8) {
            // Safe because each word lies in the memory.
            let word = unsafe memory.load(fromByteOffset: offset, as: UInt64.self)
            let low = word & 0xFFFF_FFFF_FFFF
            switch word & ~0xFFFF_FFFF_FFFF {
            case reference:
                unsafe memory.storeBytes(of: UInt64(start) &+ low, toByteOffset: offset, as: UInt64.self)
            case code:
                let function: @convention(c) () -> Int32 = getpid
                unsafe memory.storeBytes(
                    of: UInt64(UInt(bitPattern: unsafeBitCast(function, to: UnsafeRawPointer.self))),
                    toByteOffset: offset, as: UInt64.self)
            default: break
            }
        }
        let image = ImageMemory(
            segments: [ImageMemory.Segment(range: start..<start + UInt(count), isWritable: true)])
        do throws(PluginError) {
            let table = unsafe try PluginTable(
                UnsafeRawPointer(memory.baseAddress!), in: image, library: "fuzz")
            precondition(table.subjects.first != nil, "a table that was read has an identity")
        } catch { precondition(!error.message.isEmpty, "every refusal says something") }
    }

    /// A table with one description of each kind, each with so many later members.
    static func seed(tail: Int) -> [UInt8] {
        var words = [UInt64](repeating: 0, count: 7)
        func place() -> UInt64 { reference | UInt64(words.count * 8) }
        func text(_ text: String) -> UInt64 {
            let place = place()
            var bytes = Array(text.utf8) + [0]
            while bytes.count % 8 != 0 { bytes.append(0) }
            for start in stride(from: 0, to: bytes.count, by: 8) {
                words.append(bytes[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) })
            }
            return place
        }
        func description(_ kind: UInt64, _ members: [UInt64]) -> UInt64 {
            let place = place()
            words += [UInt64(8 * (1 + members.count + tail)) | kind << 32] + members
            words += [UInt64](repeating: .max, count: tail)
            return place
        }
        let (id, version, name) = (text("raw"), text("1.0"), text("one"))
        let host = place()
        words.append(0)
        let emitter = description(3, [name, text("void one(void)"), text(""), 0])
        let events = place()
        words += [emitter, 0]
        let descriptions = [
            emitter,
            description(2, [name, text("int32_t one(void)"), text(""), text("One."), code]),
            description(4, [name, text("one_state"), text("one_event"), 0, 8, 16, code]),
            description(5, [name, events]),
            description(6, [code, code]), description(7, [8]), description(8, [code, code]),
            description(9, [1, code, code]), description(10, [name, text("struct one { double x; }"), 8]),
            description(11, [code]),
        ]
        let list = place()
        words += descriptions
        words[0...] = [56 | 2 << 32, 0, id, version, host, list, place()] + words[7...]
        return words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    }
}
