#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Functions on sequences of bytes.
enum OctetFunction {
    /// Compares by the values of the bytes. For UTF-8, this is the order of code points.
    static func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> NumericOrder {
        let shared = min(left.count, right.count)
        // Safe because both have at least `shared` bytes.
        let difference = unsafe shared == 0 ? 0 : memcmp(left.baseAddress!, right.baseAddress!, shared)
        return difference == 0
            ? NumericOrder(left.count, right.count) : difference < 0 ? .less : .greater
    }

    static func isEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        // Safe because both have the same number of bytes when they are compared.
        unsafe left.count == right.count
            && (left.isEmpty || memcmp(left.baseAddress!, right.baseAddress!, left.count) == 0)
    }

    static func starts(_ text: UnsafeRawBufferPointer, with prefix: UnsafeRawBufferPointer) -> Bool {
        // Safe because the part compared lies within the text.
        unsafe text.count >= prefix.count
            && isEqual(UnsafeRawBufferPointer(rebasing: text[0..<prefix.count]), prefix)
    }

    static func ends(_ text: UnsafeRawBufferPointer, with suffix: UnsafeRawBufferPointer) -> Bool {
        // Safe because the part compared lies within the text.
        unsafe text.count >= suffix.count
            && isEqual(UnsafeRawBufferPointer(rebasing: text[(text.count - suffix.count)...]), suffix)
    }

    static func contains(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
        unsafe text.count >= part.count
            && OctetSearch.with(part) { unsafe $0.first(in: text, from: 0) != nil }
    }

    /// Whether all bytes are characters of ASCII. It reads them all, many at a time.
    static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // Safe because it reads within the bytes.
        unsafe bytes.reduce(0) { $0 | $1 } < 0x80
    }

    /// The index after the character that begins at `index`, in UTF-8.
    @inline(__always)
    static func end<Octets: RandomAccessCollection<UInt8>>(
        ofCharacterAt index: Int, in text: Octets
    ) -> Int where Octets.Index == Int {
        var end = index + 1
        while end < text.endIndex, text[end] & 0xC0 == 0x80 { end += 1 }
        return end
    }

    /// The number of code points in UTF-8 text. Each byte begins one, except continuation bytes.
    static func countCodePoints(_ text: UnsafeRawBufferPointer) -> Int64 {
        // Safe because it reads within the text.
        unsafe Int64(text.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) })
    }
}
