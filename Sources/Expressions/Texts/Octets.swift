import Records

/// A compiled operand of text or bytes. Comparison and search do not copy it.
enum Octets<Content: OctetContent>: Sendable {
    case constant(Content, OctetBlock)
    /// A `string` or `bytes` value in memory.
    case memory(MemoryLocation)
    case computed(Compute<Content>)

    static func constant(_ content: Content) -> Octets { .constant(content, OctetBlock(content)) }

    var constant: Content? { if case .constant(let content, _) = self { content } else { nil } }

    /// The bytes of the value, for one evaluation.
    @inline(__always)
    func view(_ frame: Frame) throws(EvaluationFault) -> OctetView<Content> {
        // Safe because the view is used before the evaluation ends, and the operand keeps a constant's block.
        switch self {
        case .constant(_, let block): unsafe .borrowed(block.bytes)
        case .memory(let location): unsafe .borrowed(ValueMemory.span(try location.pointer(in: frame)))
        case .computed(let compute): .owned(try compute(frame))
        }
    }

    /// Computes the value as a `String` or `[UInt8]`.
    var content: Compute<Content> {
        switch self {
        case .constant(let content, _): return { _ in content }
        case .memory(let location):
            // Safe because the location holds a string or bytes value.
            return { frame throws(EvaluationFault) in
                unsafe Content(octets: ValueMemory.span(try location.pointer(in: frame)))
            }
        case .computed(let compute): return compute
        }
    }

    /// Applies a function to the bytes.
    func map<Result: Scalar>(
        _ transform: @escaping @Sendable (UnsafeRawBufferPointer) -> Result
    ) -> Operand<Result> {
        unsafe .computed(Result.Computation(OctetSource(operand: self, transform: transform)))
    }

    /// Applies a function to the bytes of two operands.
    static func compare(
        _ left: Octets, _ right: Octets,
        _ function: @escaping @Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) -> Operand<Bool> {
        // Safe because the function does not keep the bytes, and the closure keeps a constant's block.
        if case .memory(.fixed(let address)) = left, case .constant(_, let block) = right {
            return .computing { frame in
                unsafe function(ValueMemory.span(address.pointer(in: frame)), block.bytes)
            }
        }
        return .computing { frame throws(EvaluationFault) in
            let (a, b) = (try left.view(frame), try right.view(frame))
            return unsafe a.withOctets { a in unsafe b.withOctets { b in unsafe function(a, b) } }
        }
    }
}

/// A function applied to the bytes of an operand.
@safe
private struct OctetSource<Content: OctetContent, Output: Sendable>: Source {
    let operand: Octets<Content>
    let transform: @Sendable (UnsafeRawBufferPointer) -> Output

    func callAsFunction(_ frame: Frame) throws(EvaluationFault) -> Output {
        // Safe because the transform does not keep the bytes.
        unsafe try operand.view(frame).withOctets(transform)
    }
}

/// The bytes of an operand during one evaluation.
@safe
enum OctetView<Content: OctetContent> {
    case borrowed(UnsafeRawBufferPointer)
    case owned(Content)

    @inline(__always)
    func withOctets<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Safe because the creator of the view keeps borrowed bytes alive.
        switch self {
        case .borrowed(let bytes): unsafe try body(bytes)
        case .owned(let content): unsafe try content.withOctets(body)
        }
    }
}

/// A Swift value made of bytes: `String` and `[UInt8]`.
protocol OctetContent: Sendable {
    init(octets: UnsafeRawBufferPointer)
    func withOctets<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result
}

extension Octets<String> {
    /// The bytes of the text, for functions that cut it. Foreign code may have written bytes that are not UTF-8. The
    /// copy of a text that is not ASCII has replaced them.
    func textView(_ frame: Frame) throws(EvaluationFault) -> OctetView<String> {
        guard case .memory(let location) = self else { return try view(frame) }
        // Safe because the bytes are read while the view is valid.
        let bytes = unsafe ValueMemory.span(try location.pointer(in: frame))
        return unsafe OctetFunction.isASCII(bytes) ? .borrowed(bytes) : .owned(String(octets: bytes))
    }
}

extension String: OctetContent {
    init(octets: UnsafeRawBufferPointer) { self = unsafe String(decoding: octets, as: UTF8.self) }

    func withOctets<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var text = self
        // Safe because the body does not keep the bytes. `withUTF8` takes no typed errors.
        let result = text.withUTF8 { bytes in
            Swift.Result { () throws(Failure) in unsafe try body(UnsafeRawBufferPointer(bytes)) }
        }
        return try result.get()
    }
}

extension [UInt8]: OctetContent {
    init(octets: UnsafeRawBufferPointer) { self = unsafe [UInt8](octets) }

    func withOctets<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Safe because the body does not keep the bytes.
        let result = unsafe withUnsafeBytes { bytes in
            Swift.Result { () throws(Failure) in unsafe try body(bytes) }
        }
        return try result.get()
    }
}

/// The bytes of a constant at a fixed address, as a `string` value. Stores share its block.
@safe
final class OctetBlock: Sendable {
    private static let type = RecordType([("content", .string)])
    private let record: Record

    init(_ content: some OctetContent) {
        var record = Record(Self.type)
        unsafe content.withOctets { bytes in
            // Safe because the record's only field is a string, and strings and bytes have the same layout.
            unsafe ValueMemory.storeBytes(bytes, to: record.unsafeMutableBase())
        }
        self.record = record
    }

    /// The `string` or `bytes` value. Valid while this object lives.
    var memory: UnsafeRawPointer { unsafe record.unsafeBase }

    /// Its bytes. Valid while this object lives.
    var bytes: UnsafeRawBufferPointer { unsafe ValueMemory.span(memory) }
}
