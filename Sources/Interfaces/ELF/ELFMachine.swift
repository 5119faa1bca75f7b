/// The machine of an ELF file (`e_machine`).
public struct ELFMachine: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let x86_64 = ELFMachine(rawValue: 62)
    public static let aarch64 = ELFMachine(rawValue: 183)

    /// The machine that this host was built for.
    public static var host: ELFMachine {
        #if arch(x86_64)
            .x86_64
        #elseif arch(arm64)
            .aarch64
        #else
            #error("the type matrix and the call shim are written for x86-64 and aarch64")
        #endif
    }
}

extension ELFMachine: CustomStringConvertible {
    /// The machine's usual name; for other machines, the number.
    public var description: String {
        switch rawValue {
        case 2, 18, 43: "SPARC"
        case 3: "32-bit x86"
        case 8, 10: "MIPS"
        case 20: "32-bit PowerPC"
        case 21: "PowerPC"
        case 22: "s390x"
        case 40: "32-bit ARM"
        case 50: "Itanium"
        case 62: "x86-64"
        case 183: "aarch64"
        case 243: "RISC-V"
        case 247: "BPF"
        case 258: "LoongArch"
        default: "machine \(rawValue)"
        }
    }
}
