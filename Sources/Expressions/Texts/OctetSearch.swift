#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A search for a part in bytes (Knuth, Morris and Pratt 1977). The time is linear in both sizes, so that no text makes
/// it slow.
@safe
struct OctetSearch {
    let part: UnsafeRawBufferPointer
    // For each length matched, the shorter length that still matches when the next byte differs.
    private let fallback: UnsafeMutableBufferPointer<Int>

    /// Calls `body` with a search. The part and the search are valid during the call.
    static func with<Result>(_ part: UnsafeRawBufferPointer, _ body: (OctetSearch) -> Result) -> Result {
        // Safe because the memory lives for the call. For a part of one byte it is not read.
        unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: part.count) { fallback in
            unsafe fallback.initialize(repeating: 0)
            var matched = 0
            for index in part.indices.dropFirst() {
                while matched > 0, unsafe part[index] != part[matched] {
                    matched = unsafe fallback[matched - 1]
                }
                if unsafe part[index] == part[matched] { matched += 1 }
                unsafe fallback[index] = matched
            }
            return unsafe body(OctetSearch(part: part, fallback: fallback))
        }
    }

    /// The index of the first match at or after `start`; nil without one.
    func first(in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
        // Safe because it reads within the text and the part.
        unsafe part.isEmpty ? start : part.count == 1 ? firstByte(in: text, from: start) : find(text, start)
    }

    private func firstByte(in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < text.count, let base = text.baseAddress else { return nil }
        // Safe because it reads within the text.
        return unsafe memchr(base + start, Int32(part[0]), text.count - start).map {
            unsafe $0 - UnsafeMutableRawPointer(mutating: base)
        }
    }

    private func find(_ text: UnsafeRawBufferPointer, _ start: Int) -> Int? {
        var (matched, index) = (0, start)
        while index < text.count {
            if matched == 0 {
                guard let next = unsafe firstByte(in: text, from: index) else { return nil }
                index = next
            }
            while matched > 0, unsafe text[index] != part[matched] { matched = unsafe fallback[matched - 1] }
            if unsafe text[index] == part[matched] { matched += 1 }
            index += 1
            if unsafe matched == part.count { return index - matched }
        }
        return nil
    }
}
