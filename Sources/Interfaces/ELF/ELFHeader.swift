/// The header of an ELF file. It is checked that the file is a library for this host.
struct ELFHeader {
    let machine: ELFMachine
    let segmentTable: UInt64
    let segmentCount: Int
    /// 0 for a file without sections.
    let sectionTable: UInt64
    let sectionCount: Int
    let sectionNames: Int

    static let size = 64
    static let segmentSize = 56
    static let sectionSize = 64

    init(_ file: borrowing FileBytes) throws(InterfaceError) {
        let start = try file.read("the beginning", at: 0, count: Int(min(file.size, UInt64(Self.size))))
        try Self.checkIdentity(start, file)
        guard start.count == Self.size else { throw file.truncated("the ELF header") }
        machine = ELFMachine(rawValue: start.number(at: 18))
        guard machine == .host else {
            throw InterfaceError(
                .fileOtherMachine, "`\(file.path)` is for \(machine), expected \(ELFMachine.host)",
                help: ["build it for \(ELFMachine.host)"])
        }
        try Self.checkType(start.number(at: 16), file)
        guard start.number(at: 20, as: UInt32.self) == 1 else {
            throw file.malformed("its ELF version is not 1")
        }
        (segmentTable, sectionTable) = (start.number(at: 32), start.number(at: 40))
        segmentCount = Int(start.number(at: 56, as: UInt16.self))
        sectionCount = Int(start.number(at: 60, as: UInt16.self))
        sectionNames = Int(start.number(at: 62, as: UInt16.self))
        guard segmentCount > 0, segmentCount < 0xFFFF,
            start.number(at: 54, as: UInt16.self) == Self.segmentSize
        else {
            throw file.malformed("its header describes no segments to load")
        }
        guard
            sectionTable == 0 || sectionCount == 0
                || start.number(at: 58, as: UInt16.self) == Self.sectionSize
        else {
            throw file.malformed("its header describes sections of an unknown kind")
        }
    }

    /// Checks magic number, class, byte order and system.
    private static func checkIdentity(_ start: [UInt8], _ file: borrowing FileBytes) throws(InterfaceError) {
        guard !start.isEmpty else {
            throw InterfaceError(
                .fileEmpty, "`\(file.path)` is empty, expected a shared library",
                help: ["build it again, and wait until the build is complete"])
        }
        let magic: [UInt8] = [0x7F, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F")]
        guard start.starts(with: magic) else {
            guard !magic.starts(with: start) else { throw file.truncated("the ELF header") }
            throw notELF(start, file)
        }
        guard start.count >= 16 else { throw file.truncated("the ELF header") }
        guard start[4] == 2 else {
            throw InterfaceError(
                .fileOtherClass, "`\(file.path)` is a 32-bit file, expected 64-bit \(ELFMachine.host)",
                help: ["build it for 64 bits (`-m64`)"])
        }
        guard start[5] == 1 else {
            throw InterfaceError(
                .fileOtherClass,
                "`\(file.path)` has big-endian byte order, expected little-endian \(ELFMachine.host)",
                help: ["build it for \(ELFMachine.host)"])
        }
        guard start[6] == 1 else { throw file.malformed("its ELF version is not 1") }
        // System V and GNU/Linux.
        guard start[7] == 0 || start[7] == 3 else {
            throw InterfaceError(
                .fileOtherClass,
                "`\(file.path)` is for another operating system (ABI \(start[7])), expected Linux",
                help: ["build it for Linux"])
        }
    }

    private static func notELF(_ start: [UInt8], _ file: borrowing FileBytes) -> InterfaceError {
        func begins(_ texts: String...) -> Bool { texts.contains { start.starts(with: $0.utf8) } }
        let (what, help) =
            if begins("!<arch>\n", "!<thin>\n") {
                ("a static library (`ar` archive)", "link a shared library of it with `-shared`")
            } else if begins("/* GNU ld script", "INPUT", "GROUP", "OUTPUT_FORMAT") {
                ("a linker script", "name the library that it points to, often `NAME.so.N`")
            } else if begins("#!") {
                ("a script", "name a shared library")
            } else if begins("MZ") {
                ("a Windows file", "build it for Linux")
            } else if begins("\u{CF}\u{FA}") || start.starts(with: [0xCF, 0xFA, 0xED, 0xFE]) {
                ("a macOS file", "build it for Linux")
            } else {
                ("not an ELF file", "name a shared library, as `cc -shared -fPIC` makes it")
            }
        return InterfaceError(
            .fileNotELF, "`\(file.path)` is \(what), expected a shared library", help: [help])
    }

    private static func checkType(_ type: UInt16, _ file: borrowing FileBytes) throws(InterfaceError) {
        let (what, help): (String, String)
        switch type {
        case 3: return
        case 1: (what, help) = ("an object file", "link it with `-shared`")
        case 2: (what, help) = ("a program", "link it with `-shared`, and compile its sources with `-fPIC`")
        case 4: (what, help) = ("a core dump", "name a shared library")
        default: (what, help) = ("an ELF file of type \(type)", "name a shared library")
        }
        throw InterfaceError(
            .fileNotLibrary, "`\(file.path)` is \(what), expected a shared library", help: [help])
    }
}
