import Records

/// The parts of a text that `split` makes. An index makes one of them, without the others.
struct TextParts: Sendable {
    let text: Octets<String>
    let separator: Octets<String>
    /// The most parts, of which the last one has the rest; negative: all.
    let limit: Operand<Int64>

    /// The list of all parts.
    var list: Operand<Value> {
        let limit = limit.computation
        return .computing { [text, separator] frame throws(EvaluationFault) in
            let (text, separator) = (try text.textView(frame), try separator.textView(frame))
            let limit = try limit(frame)
            // Safe because the bytes are borrowed for the calls.
            return unsafe text.withOctets { text in
                unsafe separator.withOctets { separator in
                    var parts: [Value] = []
                    parts.reserveCapacity(4)
                    unsafe Self.visit(text, separator, limit) { range in
                        unsafe parts.append(.string(Self.part(text, range)))
                        return true
                    }
                    return .list(parts)
                }
            }
        }
    }

    /// The part at a position, whose fault is at `range`.
    func part(at position: Operand<Int64>, faultAt range: Range<Int>) -> Octets<String> {
        let (limit, position) = (limit.computation, position.computation)
        return .computed { [text, separator] frame throws(EvaluationFault) in
            let (text, separator) = (try text.textView(frame), try separator.textView(frame))
            let (limit, position) = (try limit(frame), try position(frame))
            // Safe because the bytes are borrowed for the calls.
            return unsafe try text.withOctets { text throws(EvaluationFault) in
                unsafe try separator.withOctets { separator throws(EvaluationFault) in
                    var (found, count): (Range<Int>?, Int) = (nil, 0)
                    unsafe Self.visit(text, separator, limit) { range in
                        if count == position { found = range }
                        count += 1
                        return found == nil
                    }
                    guard let found else { throw outOfBounds(position, count, at: range) }
                    return unsafe Self.part(text, found)
                }
            }
        }
    }

    /// Visits the ranges of the parts in their order, until `body` returns false. Without a separator, each character
    /// is a part.
    @inline(__always)
    private static func visit(
        _ text: UnsafeRawBufferPointer, _ separator: UnsafeRawBufferPointer, _ limit: Int64,
        _ body: (Range<Int>) -> Bool
    ) {
        guard limit != 0 else { return }
        var left = limit < 0 ? Int.max : Int(clamping: limit)
        var start = 0
        guard unsafe !separator.isEmpty else {
            while start < text.count {
                let end = unsafe left == 1 ? text.count : OctetFunction.end(ofCharacterAt: start, in: text)
                guard body(start..<end) else { return }
                (start, left) = (end, left - 1)
            }
            return
        }
        unsafe OctetSearch.with(separator) { search in
            while left > 1, let cut = unsafe search.first(in: text, from: start) {
                guard body(start..<cut) else { return }
                (start, left) = (cut + separator.count, left - 1)
            }
            _ = body(start..<text.count)
        }
    }

    private static func part(_ text: UnsafeRawBufferPointer, _ range: Range<Int>) -> String {
        unsafe String(octets: UnsafeRawBufferPointer(rebasing: text[range]))
    }
}
