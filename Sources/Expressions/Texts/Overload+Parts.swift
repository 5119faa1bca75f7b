import Diagnostics
import Records

// Functions that look for a part everywhere in a text. They read its bytes where they are.
extension Overload {
    /// `replace` in the first argument of the second by the third.
    ///
    /// - Parameter limit: how many are replaced at most; negative: all.
    static func replace(_ arguments: [Code], limit: Operand<Int64>, at range: Range<Int>) -> Code {
        let texts = (arguments[0].text(at: range), arguments[1].text(at: range), arguments[2].text(at: range))
        let limit = limit.computation
        return .string(
            .computed { frame throws(EvaluationFault) in
                let views = (
                    try texts.0.textView(frame), try texts.1.textView(frame), try texts.2.textView(frame)
                )
                let limit = try limit(frame)
                let count = limit < 0 ? Int.max : Int(clamping: limit)
                // Safe because the bytes are borrowed for the calls.
                return try unsafe views.0.withOctets { text throws(EvaluationFault) in
                    unsafe try views.1.withOctets { old throws(EvaluationFault) in
                        unsafe try views.2.withOctets { new throws(EvaluationFault) in
                            unsafe try replaced(text, old, by: new, count, at: range)
                        }
                    }
                }
            })
    }

    private static func replaced(
        _ text: UnsafeRawBufferPointer, _ old: UnsafeRawBufferPointer, by new: UnsafeRawBufferPointer,
        _ limit: Int, at range: Range<Int>
    ) throws(EvaluationFault) -> String {
        let found = unsafe occurrences(of: old, in: text, limit: limit)
        guard !found.isEmpty else { return unsafe String(octets: text) }
        // This cannot overflow, because no text has as many bytes as the square root of the greatest int.
        let size = text.count + found.count * (new.count - old.count)
        try checkLength(size, at: range)
        var replaced: [UInt8] = []
        replaced.reserveCapacity(size)
        var start = 0
        for index in found {
            unsafe replaced.append(contentsOf: text[start..<index])
            unsafe replaced.append(contentsOf: new)
            start = index + old.count
        }
        unsafe replaced.append(contentsOf: text[start...])
        return String(decoding: replaced, as: UTF8.self)
    }

    /// The indices where a part occurs in a text, both in UTF-8. Occurrences do not overlap. There are at
    /// most `limit`. An empty part occurs before each character and at the end.
    private static func occurrences(
        of part: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer, limit: Int
    ) -> [Int] {
        guard unsafe !part.isEmpty else {
            let starts = text.indices.filter { unsafe text[$0] & 0xC0 != 0x80 }
            return Array((starts + [text.count]).prefix(limit))
        }
        return unsafe OctetSearch.with(part) { search in
            var (found, start): ([Int], Int) = ([], 0)
            while found.count < limit, let index = unsafe search.first(in: text, from: start) {
                found.append(index)
                start = index + part.count
            }
            return found
        }
    }
}
