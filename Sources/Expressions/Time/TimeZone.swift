#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The offsets of a time zone from UTC. It is a fixed offset such as `-02:30`, or a zone of the system's IANA
/// database (`/usr/share/zoneinfo`, RFC 8536).
struct TimeZone: Sendable {
    /// The instants at which the offset changes, in seconds since the epoch, ascending.
    private var transitions: [Int64] = []
    /// The offset after each transition, in seconds east of UTC.
    private var offsets: [Int64] = []
    /// The offset before the first transition.
    private var first: Int64 = 0
    /// The rule after the last transition.
    private var rule: TimeZoneRule?

    /// Loads the zone of that name; nil when there is none.
    init?(_ name: String) {
        if name == "UTC" { return }
        if let offset = Self.fixedOffset(name) {
            first = offset
            return
        }
        guard Self.isName(name), let bytes = Self.contents(of: "/usr/share/zoneinfo/\(name)"), read(bytes)
        else {
            return nil
        }
    }

    /// The offset at an instant, in seconds since the epoch.
    func offset(at instant: Int64) -> Int64 {
        guard let last = transitions.last else { return rule?.offset(at: instant) ?? first }
        if instant >= last, let rule { return rule.offset(at: instant) }
        // The last transition at or before the instant.
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= instant { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? first : offsets[low - 1]
    }

    /// Parses `hh:mm` with or without a sign.
    private static func fixedOffset(_ name: String) -> Int64? {
        var digits = Array(name.utf8)
        let sign: Int64 = digits.first == UInt8(ascii: "-") ? -1 : 1
        if digits.first == UInt8(ascii: "-") || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
        guard digits.count == 5, digits[2] == UInt8(ascii: ":"),
            let hours = Int64(String(decoding: digits[0..<2], as: UTF8.self)),
            let minutes = Int64(String(decoding: digits[3..<5], as: UTF8.self)),
            digits[0] != UInt8(ascii: "-"), digits[0] != UInt8(ascii: "+"), digits[3] != UInt8(ascii: "-"),
            digits[3] != UInt8(ascii: "+"), hours < 24, minutes < 60
        else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }

    /// True for a valid name. Each part must begin with a letter, so that a name cannot reach another folder.
    private static func isName(_ name: String) -> Bool {
        name.utf8.count <= 64
            && name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
                part.first?.isLetter == true
                    && part.utf8.allSatisfy {
                        (48...57).contains($0) || (97...122).contains($0 | 0x20) || "+-_".utf8.contains($0)
                    }
            }
    }

    private static func contents(of path: String) -> [UInt8]? {
        // The files of the database have a few kilobytes.
        let limit = 1 << 18
        // Safe because the path is borrowed for the call.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while bytes.count < limit {
            let count = bytes.count
            // Safe because the buffer has room for what is read.
            bytes += unsafe [UInt8](unsafeUninitializedCapacity: 1 << 14) { buffer, size in
                size = unsafe max(0, pread(descriptor, buffer.baseAddress!, buffer.count, off_t(count)))
            }
            if bytes.count == count { return bytes }
        }
        return nil
    }

    /// Reads the 64-bit part of a file and its footer; false when it is malformed.
    private mutating func read(_ bytes: [UInt8]) -> Bool {
        var reader = ZoneReader(bytes)
        guard let old = reader.header(), reader.skip(old.size(timeSize: 4)), let header = reader.header()
        else {
            return false
        }
        for _ in 0..<header.times {
            guard let time = reader.integer(8) else { return false }
            if let last = transitions.last, time <= last { return false }
            transitions.append(time)
        }
        guard let indices = reader.bytes(header.times) else { return false }
        var types: [Int64] = []
        for _ in 0..<header.types {
            // After the offset come a flag for summer time and the index of the name.
            guard let offset = reader.integer(4), reader.skip(2) else { return false }
            types.append(offset)
        }
        guard !types.isEmpty, indices.allSatisfy({ Int($0) < types.count }),
            reader.skip(header.characters + header.leaps * 12 + header.standards + header.universals)
        else { return false }
        offsets = indices.map { types[Int($0)] }
        first = types[0]
        rule = TimeZoneRule(reader.footer)
        return true
    }
}

/// Reads numbers of a zone file, most significant byte first.
private struct ZoneReader {
    struct Header {
        let universals, standards, leaps, times, types, characters: Int

        /// The size in bytes of the data after this header.
        func size(timeSize: Int) -> Int {
            times * (timeSize + 1) + types * 6 + characters + leaps * (timeSize + 4) + standards + universals
        }
    }

    private let content: [UInt8]
    private var index = 0

    init(_ content: [UInt8]) { self.content = content }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= content.count - index else { return nil }
        defer { index += count }
        return content[index..<index + count]
    }

    mutating func skip(_ count: Int) -> Bool { bytes(count) != nil }

    mutating func integer(_ size: Int) -> Int64? {
        guard let bytes = bytes(size) else { return nil }
        let bits = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return size == 8 ? Int64(bitPattern: bits) : Int64(Int32(truncatingIfNeeded: bits))
    }

    mutating func header() -> Header? {
        guard let magic = bytes(4), magic.elementsEqual("TZif".utf8), let version = bytes(16)?.first,
            version >= UInt8(ascii: "2")
        else { return nil }
        var counts: [Int] = []
        for _ in 0..<6 {
            guard let count = integer(4), count >= 0, count <= content.count else { return nil }
            counts.append(Int(count))
        }
        return Header(
            universals: counts[0], standards: counts[1], leaps: counts[2], times: counts[3], types: counts[4],
            characters: counts[5])
    }

    /// The rule between the two line feeds at the end.
    var footer: String {
        String(decoding: content[index...].dropFirst().prefix { $0 != 10 }, as: UTF8.self)
    }
}
