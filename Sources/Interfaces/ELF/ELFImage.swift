/// The mapped parts of a library. It is checked that they are in the file and do not overlap.
struct ELFImage {
    /// A program header.
    private struct Segment {
        let type: UInt32
        let flags: UInt32
        let offset: UInt64
        let address: UInt64
        let fileSize: UInt64
        let memorySize: UInt64
        let alignment: UInt64

        enum Kind {
            static let load: UInt32 = 1
            static let dynamic: UInt32 = 2
            static let note: UInt32 = 4
            static let stack: UInt32 = 0x6474_E551
        }

        init(_ bytes: [UInt8], at start: Int) {
            (type, flags) = (bytes.number(at: start), bytes.number(at: start + 4))
            (offset, address) = (bytes.number(at: start + 8), bytes.number(at: start + 16))
            (fileSize, memorySize) = (bytes.number(at: start + 32), bytes.number(at: start + 40))
            alignment = bytes.number(at: start + 48)
        }
    }

    private let loads: [Segment]
    private let noteSegments: [Segment]
    /// Address of the dynamic section and its size in bytes.
    let dynamic: (address: UInt64, size: UInt64)
    let hasExecutableStack: Bool

    init(_ file: borrowing FileBytes, _ header: ELFHeader) throws(InterfaceError) {
        let table = try file.read(
            "its table of segments", at: header.segmentTable,
            count: header.segmentCount * ELFHeader.segmentSize)
        let segments = (0..<header.segmentCount).map { Segment(table, at: $0 * ELFHeader.segmentSize) }
        for (index, segment) in segments.enumerated() {
            try Self.check(segment, number: index, file)
        }
        loads = segments.filter { $0.type == Segment.Kind.load }
        noteSegments = segments.filter { $0.type == Segment.Kind.note }
        guard !loads.isEmpty else { throw file.malformed("it has no segment to load") }
        var end: UInt64 = 0
        for segment in loads {
            guard segment.address >= end else { throw file.malformed("its segments overlap") }
            // `check` has excluded an overflow.
            end = segment.address + segment.memorySize
        }
        // If there are several, the loader uses the last.
        guard let found = segments.last(where: { $0.type == Segment.Kind.dynamic }) else {
            throw InterfaceError(
                .fileNotLibrary, "`\(file.path)` has no dynamic section, expected a shared library",
                help: ["it may be a static program or split debug information; link it with `-shared`"])
        }
        dynamic = (found.address, found.memorySize)
        let stack = segments.last { $0.type == Segment.Kind.stack }
        // Without that segment x86-64 assumes an executable stack.
        hasExecutableStack = stack.map { $0.flags & 1 != 0 } ?? (header.machine == .x86_64)
        guard offset(of: found.address, count: found.memorySize) == found.offset else {
            throw file.malformed("its dynamic section is outside the loaded segments")
        }
    }

    /// The size in bytes from the first mapped byte to the last.
    var mappedSize: UInt64 {
        guard let first = loads.first, let last = loads.last else { return 0 }
        return last.address + last.memorySize - first.address
    }

    private static func check(_ segment: Segment, number: Int, _ file: borrowing FileBytes)
        throws(InterfaceError)
    {
        guard [Segment.Kind.load, Segment.Kind.dynamic, Segment.Kind.note].contains(segment.type) else {
            return
        }
        guard let end = UInt64.end(of: segment.offset, segment.fileSize), end <= file.size else {
            throw file.truncated("segment \(number)")
        }
        guard segment.type == Segment.Kind.load else { return }
        guard segment.fileSize <= segment.memorySize else {
            throw file.malformed("segment \(number) is larger in the file than in memory")
        }
        let alignment = max(segment.alignment, 1)
        guard alignment & (alignment - 1) == 0, segment.address % alignment == segment.offset % alignment
        else {
            throw file.malformed("segment \(number) is not aligned")
        }
        // User space ends at 2^47 on both machines, with four levels of page tables.
        guard let top = UInt64.end(of: segment.address, segment.memorySize), top < 1 << 47 else {
            throw file.malformed("segment \(number) does not fit the address space")
        }
    }

    /// The file offset of `count` bytes at an address; nil if they are not loaded from the file.
    func offset(of address: UInt64, count: UInt64) -> UInt64? {
        guard let end = UInt64.end(of: address, count) else { return nil }
        let load = loads.first { $0.address <= address && end <= $0.address + $0.fileSize }
        return load.map { $0.offset + (address - $0.address) }
    }

    /// The number of contiguous bytes from an address on that are loaded from the file.
    func bytesLoaded(from address: UInt64) -> UInt64 {
        let load = loads.first { $0.address <= address && address < $0.address + $0.fileSize }
        return load.map { $0.address + $0.fileSize - address } ?? 0
    }

    /// Reads the bytes that the loader would load at an address.
    func read(
        _ what: String, at address: UInt64, count: UInt64, _ file: borrowing FileBytes
    ) throws(InterfaceError) -> [UInt8] {
        guard let offset = offset(of: address, count: count) else {
            throw file.malformed("\(what) is outside the loaded segments")
        }
        guard count <= Self.greatestTable else { throw file.malformed("\(what) has \(count) bytes") }
        return try file.read(what, at: offset, count: Int(count))
    }

    /// Far more than any real table. The limit keeps a crafted sparse file from using up all memory.
    private static let greatestTable: UInt64 = 1 << 27

    // MARK: Notes

    private static let greatestNotes: UInt64 = 1 << 24

    func notes(_ file: borrowing FileBytes) throws(InterfaceError) -> [ELFNote] {
        var notes: [ELFNote] = []
        var total: UInt64 = 0
        for segment in noteSegments {
            total = total.addingReportingOverflow(segment.fileSize).partialValue
            guard segment.fileSize <= Self.greatestNotes, total <= Self.greatestNotes else {
                throw file.malformed("its notes have more than \(Self.greatestNotes) bytes")
            }
            let bytes = try file.read("a note", at: segment.offset, count: Int(segment.fileSize))
            let alignment = segment.alignment == 8 ? 8 : 4
            var position = 0
            while position + 12 <= bytes.count {
                let nameSize = Int(bytes.number(at: position, as: UInt32.self))
                let size = Int(bytes.number(at: position + 4, as: UInt32.self))
                let start = CStructure.round(position + 12 + nameSize, to: alignment)
                guard start + size <= bytes.count else {
                    throw file.malformed("a note is longer than its segment")
                }
                let name = bytes[(position + 12)..<(position + 12 + nameSize)].prefix { $0 != 0 }
                notes.append(
                    ELFNote(
                        owner: String(decoding: name, as: UTF8.self), type: bytes.number(at: position + 8),
                        descriptor: Array(bytes[start..<(start + size)])))
                position = CStructure.round(start + size, to: alignment)
            }
        }
        return notes
    }
}
