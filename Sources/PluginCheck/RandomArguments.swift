import Interfaces
import Records

/// Makes valid arguments from a seed: ordinary values, and the limits of each type.
///
/// The generator is SplitMix64 (Steele, Lea and Flood 2014).
struct RandomArguments: RandomNumberGenerator {
    private var state: UInt64

    /// A generator for one effect.
    ///
    /// - Parameter name: the effect's name, so that its arguments do not depend on the calls of other
    ///   effects.
    init(seed: UInt64, for name: String) { state = UInt64(hashOf: name.utf8, seed: seed) }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// The reason why no value can be generated for a parameter; nil if one can.
    static func refusal(_ parameter: CallSignature.Parameter, _ signature: CallSignature) -> String? {
        if case .out = parameter.passing {
            return "`\(parameter.name)` is memory that it writes, and only a manifest gives the size"
        }
        guard let field = parameter.passing.input,
            let part = partWithoutValues(signature.inputs.fields[field].type)
        else { return nil }
        return "`\(parameter.name)` is or contains \(part), which cannot be generated"
    }

    private static func partWithoutValues(_ type: ValueType) -> String? {
        switch type {
        case .pointer: "a pointer"
        case .list(let element), .array(let element, _), .optional(let element): partWithoutValues(element)
        case .record(let record):
            record.cases.isEmpty
                ? record.fields.lazy.compactMap { partWithoutValues($0.type) }.first : "a state with cases"
        default: nil
        }
    }

    /// A value for a parameter.
    mutating func value(for parameter: CallSignature.Parameter, _ type: ValueType) -> Value {
        if case .enumeration(let enumeration) = parameter.type,
            let constant = enumeration.constants.randomElement(using: &self)
        {
            return .int(constant.value)
        }
        // A C string ends at its first NUL, so it must not contain one.
        switch parameter.passing {
        case .cString, .nullable(.cString): return .string(text().replacing("\0", with: " "))
        default: break
        }
        return value(of: type)
    }

    /// A value for a setting, within its range.
    mutating func value(of setting: SettingDescription) -> Value {
        switch (setting.range?.least, setting.range?.greatest) {
        case (.int(let least), .int(let greatest)): .int(Int64.random(in: least...greatest, using: &self))
        case (.uint(let least), .uint(let greatest)):
            .uint(UInt64.random(in: least...greatest, using: &self))
        case (.double(let least), .double(let greatest)):
            .double(Double.random(in: least...greatest, using: &self))
        case (.duration(let least), .duration(let greatest)):
            .duration(nanoseconds: Int64.random(in: least...greatest, using: &self))
        default: value(of: setting.type)
        }
    }

    private mutating func value(of type: ValueType) -> Value {
        switch type {
        case .bool: return .bool(Bool.random(using: &self))
        case .integer(let integer): return self.integer(integer)
        case .float, .double: return .double(number())
        case .string: return .string(text())
        case .bytes:
            return .bytes((0..<length()).map { _ in UInt8.random(in: 0...255, using: &self) })
        // Short, because an effect may wait so long in each of its calls.
        case .duration: return .duration(nanoseconds: Int64.random(in: 0...2_000_000, using: &self))
        case .timestamp:
            return .timestamp(
                Timestamp(seconds: Int64.random(in: -1_000_000_000...4_000_000_000, using: &self)))
        case .enumeration(let enumeration):
            return .string(enumeration.members.randomElement(using: &self) ?? "")
        case .list(let element):
            return .list((0..<Int.random(in: 0...5, using: &self)).map { _ in value(of: element) })
        case .array(let element, let count): return .list((0..<count).map { _ in value(of: element) })
        case .record(let record):
            return .record(record.fields.map { ($0.name, value(of: $0.type)) })
        case .optional(let wrapped):
            return Bool.random(using: &self) ? value(of: wrapped) : .null
        case .pointer: return .pointer(0)
        }
    }

    private mutating func integer(_ type: IntegerType) -> Value {
        let bits = type.size * 8
        let random = next()
        guard Int.random(in: 0..<2, using: &self) == 0 else {
            let small = Int64.random(in: type.isSigned ? -10...100 : 0...100, using: &self)
            return .int(small)
        }
        guard type.isSigned else {
            let greatest = UInt64.max >> UInt64(64 - bits)
            return .uint([0, 1, greatest, random & greatest].randomElement(using: &self) ?? 0)
        }
        let (least, greatest) = (Int64.min >> Int64(64 - bits), Int64.max >> Int64(64 - bits))
        let any = Int64(bitPattern: random) >> Int64(64 - bits)
        return .int([0, -1, least, greatest, any].randomElement(using: &self) ?? 0)
    }

    private mutating func number() -> Double {
        let ends = [0, -0.0, 1, -1, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, 1e-300, 1e30]
        return Bool.random(using: &self)
            ? ends.randomElement(using: &self) ?? 0 : Double.random(in: -1000...1000, using: &self)
    }

    /// A length that is mostly short and sometimes long.
    private mutating func length() -> Int {
        switch Int.random(in: 0..<8, using: &self) {
        case 0: 0
        case 1: Int.random(in: 1000...70_000, using: &self)
        default: Int.random(in: 1...20, using: &self)
        }
    }

    private mutating func text() -> String {
        let letters: [Character] = [
            "a", "b", "z", "0", "9", " ", " ", "/", ".", "-", "_", "%", "\"", "'", "\\", "\n", "\t", "\0",
            "{", "<", "ä",
            "€", "語", "🙂", "\u{301}", "\u{FEFF}", "\u{10FFFF}",
        ]
        return String((0..<length()).map { _ in letters.randomElement(using: &self) ?? "a" })
    }
}
