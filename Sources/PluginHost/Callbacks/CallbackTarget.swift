import CForeignCall
import HostLoop
import Interfaces
import Records
import Synchronization

/// Answers the calls of one callback during one call of a plugin's function, on any threads.
// Safe because a flag lets one thread at a time use `own`, and nothing else changes.
@safe
final class CallbackTarget: @unchecked Sendable {
    let signature: CallbackSignature
    /// What C gets without an answer, as `foreign_answer` returns it.
    let fallback: UInt64
    /// The plugin's function.
    let function: String
    let conduct: PluginConduct
    private let image: PluginImage
    private let sink: any CallbackSink
    private let index: Int
    private let own: CallbackMemory
    private let isOwnInUse = Atomic<Bool>(false)

    init(_ signature: CallbackSignature, of function: FunctionAddress, _ sink: any CallbackSink, _ index: Int)
    {
        (self.signature, self.function, image) = (signature, function.name, function.image)
        (self.sink, self.index, conduct) = (sink, index, function.image.conduct)
        fallback =
            if let record = sink.fallback(index), let type = signature.result {
                // Safe because the record has one field of the type.
                withExtendedLifetime(record) { unsafe Self.word(record.unsafeBase, type) }
            } else { 0 }
        own = unsafe CallbackMemory(signature, sink.responder(index))
    }

    /// Answers one call.
    func answer(_ arguments: UnsafePointer<UnsafeMutableRawPointer?>?) -> UInt64 {
        guard !sink.isOver else { return fallback }
        if isOwnInUse.exchange(true, ordering: .acquiring) {
            // Another thread answers now, or this one within an answer.
            return unsafe answer(arguments, CallbackMemory(signature, sink.responder(index)))
        }
        defer { isOwnInUse.store(false, ordering: .releasing) }
        return unsafe answer(arguments, own)
    }

    private func answer(
        _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?, _ memory: CallbackMemory
    ) -> UInt64 {
        do throws(RecordError) {
            // Safe because libffi passes an address for each parameter.
            if let arguments = unsafe arguments {
                unsafe try memory.read(arguments, signature, isProbed: image.isGuarded)
            }
        } catch {
            image.failProbation("`\(function)` called `\(signature.name)` with a value of another type")
            sink.refused(
                PluginError(
                    .badResult,
                    "`\(function)` called `\(signature.name)` with a value that is not of its type: \(error)",
                    help: Self.help(error), library: image.library, symbol: function))
            return fallback
        }
        // Safe because the memory is of the types that the responder expects.
        unsafe memory.result.storeBytes(of: 0, as: UInt64.self)
        guard unsafe memory.respond(UnsafeRawPointer(memory.value), memory.result) else { return fallback }
        return signature.result.map { unsafe Self.word(UnsafeRawPointer(memory.result), $0) } ?? 0
    }

    private static func help(_ error: RecordError) -> [String] {
        error.code == .missingField ? ["if it may be null, declare it `_Nullable`"] : []
    }

    /// The word for C of a scalar value.
    private static func word(_ memory: UnsafeRawPointer, _ type: ValueType) -> UInt64 {
        // Safe because the memory holds a value of the type.
        switch type {
        case .bool: unsafe memory.load(as: UInt8.self) == 0 ? 0 : 1
        case .integer(.u64): unsafe memory.load(as: UInt64.self)
        case .integer(let integer):
            unsafe UInt64(bitPattern: ValueMemory.loadInteger(memory, as: integer))
        case .float: unsafe UInt64(memory.load(as: UInt32.self))
        case .double, .pointer, .duration, .timestamp: unsafe memory.load(as: UInt64.self)
        default: preconditionFailure("the result of a callback is a scalar")
        }
    }
}

/// The memory in which one thread at a time answers calls of a callback.
@safe
final class CallbackMemory {
    // Safe because both are allocated and initialised here, and freed in `deinit`.
    let value: UnsafeMutableRawPointer
    let result: UnsafeMutableRawPointer
    let respond: CallbackResponder
    private let type: RecordType

    init(_ signature: CallbackSignature, _ respond: @escaping CallbackResponder) {
        type = signature.value
        unsafe self.respond = respond
        unsafe value = .allocate(byteCount: max(1, type.size), alignment: 16)
        unsafe ValueMemory.initialize(value, as: .record(type))
        unsafe result = .allocate(byteCount: 8, alignment: 16)
    }

    deinit {
        unsafe ValueMemory.destroy(value, as: .record(type))
        unsafe value.deallocate()
        unsafe result.deallocate()
    }

    /// Copies the arguments of a call to `value`.
    ///
    /// - Throws: `RecordError` for a null pointer where a value must be, for text that is not UTF-8, for a count
    ///   below 0, and, if `isProbed`, for memory that cannot be read.
    func read(
        _ arguments: UnsafePointer<UnsafeMutableRawPointer?>, _ signature: CallbackSignature, isProbed: Bool
    ) throws(RecordError) {
        for (index, parameter) in signature.parameters.enumerated() {
            let field = type.fields[index]
            // Safe because libffi passes the address of a value of the parameter's type.
            let argument = unsafe UnsafeRawPointer(arguments[index]!)
            let reader = unsafe CallbackArgument(
                source: argument, target: value + field.offset, type: field.type,
                isProbed: isProbed)
            do throws(RecordError) {
                switch parameter.form {
                case .value: try reader.takeValue()
                case .pointee: try reader.takePointee()
                case .cString: try reader.takeText()
                case .text(let count): try reader.takeText(unsafe size(count, arguments, signature))
                case .bytes(let count): try reader.takeBytes(unsafe size(count, arguments, signature))
                case .list(let count): try reader.takeList(unsafe size(count, arguments, signature))
                case .cStrings(let count): try reader.takeTexts(unsafe size(count, arguments, signature))
                }
            } catch { throw error.inside(parameter.name) }
        }
    }

    private func size(
        _ count: CallbackSignature.Count, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        _ signature: CallbackSignature
    ) throws(RecordError) -> Int {
        switch count {
        case .fixed(let number): return number
        case .parameter(let index):
            guard case .integer(let integer) = signature.parameters[index].type else {
                preconditionFailure("a count is an integer")
            }
            // Safe because libffi passes the address of an integer of the type.
            let source = unsafe UnsafeRawPointer(arguments[index]!)
            let number =
                unsafe integer == .u64
                ? Int(clamping: source.load(as: UInt64.self))
                : Int(ValueMemory.loadInteger(source, as: integer))
            guard number >= 0 else {
                throw RecordError(
                    .outOfRange, "the count `\(signature.parameters[index].name)` is \(number)")
            }
            return number
        }
    }
}
