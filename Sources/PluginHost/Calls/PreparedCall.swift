import CForeignCall
import Glibc
import Interfaces
import Records

/// A function with the memory of one call: arguments, buffers, and outcome. It is made once and used for any
/// number of calls, one after the other. Calls that run at the same time need one each.
///
/// Its addresses are valid while it lives. A call with scalars allocates nothing.
// Safe because one thread at a time makes its call and uses its memory.
@safe
public final class PreparedCall: @unchecked Sendable {
    /// The function and its signature.
    public let interface: CallInterface

    /// The data for an out-parameter.
    struct Out {
        let parameter: Int
        let buffer: GuardedBuffer
        let form: CallArgument.OutForm
        /// The value's type, and its distance from the start of the outcome.
        let type: ValueType
        let offset: Int
        /// The type of the buffer's first content, a field of the inputs; nil when it begins with zeros.
        let inputType: ValueType?
        /// The integer of the outcome that counts the used bytes; nil: all are used.
        let used: (type: IntegerType, offset: Int)?
    }

    /// The data for an argument that may be null.
    private struct Nullable {
        let parameter: Int
        /// From the optional's start to its value.
        let distance: Int
        /// Whether the value's address is passed, and not its first pointer.
        let isAddress: Bool
    }

    // Each call finds what it needs here, and walks through no other objects.
    let resultForm: ResultForm
    private let foreign: OpaquePointer
    private let code: UnsafeRawPointer
    /// The image, for a guarded plugin, a plugin on probation, and a function that is linked into the process;
    /// otherwise nil.
    private let special: PluginImage?
    /// The value of `spin_call *` arguments.
    private(set) var token: CallToken?

    let outs: [Out]
    let result: UnsafeMutableRawPointer
    let outcome: UnsafeMutableRawPointer
    let inputs: UnsafeMutableRawPointer
    let arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    /// The values of arguments that are an address or a token, and in no record.
    private let words: UnsafeMutablePointer<UInt>
    /// By parameter: where the first content of its buffer, or its optional, is read from.
    private let sources: UnsafeMutablePointer<UnsafeRawPointer?>
    /// Parameters to check before each call: text that C ends at a NUL.
    private let texts: [Int]
    /// Arguments that may be null, which each call checks.
    private let nullables: [Nullable]
    /// The functions that it gives to C; nil when it gives none.
    let callbacks: PreparedCallbacks?
    /// A call needs no preparation and no work on its outcome except the result.
    private let isPlain: Bool
    /// Set when it opens or closes pointers that the app must close.
    let handles: (use: HandleUse, table: OpenHandles, release: FunctionAddress)?
    /// The pointers that the last call opened.
    var opened: [HandleHold.Handle] = []
    /// The outcome's `errno`.
    private let errorNumber: UnsafeMutablePointer<Int32>
    /// The instance of the function. Each call reads its address there.
    package private(set) var instance: PluginInstance?
    private let message: UnsafeMutableBufferPointer<CChar>

    /// Allocates the memory, with every argument at its zero value.
    public init(_ interface: CallInterface) {
        self.interface = interface
        let signature = interface.signature
        let count = signature.parameters.count
        // Safe because everything is allocated for its use, initialised before it is read, and freed in
        // `deinit`.
        unsafe inputs = .allocate(byteCount: signature.inputs.size, alignment: 16)
        unsafe ValueMemory.initialize(inputs, as: .record(signature.inputs))
        unsafe outcome = .allocate(byteCount: signature.outcome.size, alignment: 16)
        unsafe ValueMemory.initialize(outcome, as: .record(signature.outcome))
        unsafe result = .allocate(byteCount: interface.resultSize, alignment: 16)
        unsafe memset(result, 0, interface.resultSize)
        unsafe arguments = .allocate(capacity: count)
        unsafe words = .allocate(capacity: count)
        unsafe words.initialize(repeating: 0, count: count)
        unsafe sources = .allocate(capacity: count)
        unsafe sources.initialize(repeating: nil, count: count)
        unsafe message = .allocate(capacity: 512)
        resultForm = interface.resultForm
        handles = interface.handles
        unsafe foreign = interface.foreign
        unsafe code = interface.function.pointer
        let image = interface.function.image
        special = image.isLinked || image.isGuarded || interface.probation != nil ? image : nil
        unsafe errorNumber = (outcome + signature.outcome.field("errno")!.offset).assumingMemoryBound(
            to: Int32.self)
        let outs = signature.parameters.indices.compactMap { Self.out($0, signature) }
        // A count of used bytes is taken before the buffers that it counts.
        self.outs = outs.filter { $0.used == nil } + outs.filter { $0.used != nil }
        texts = signature.parameters.indices.filter { signature.parameters[$0].passing.isCText }
        nullables = signature.parameters.indices.compactMap { Self.nullable($0, signature) }
        callbacks = interface.callbacks.isEmpty ? nil : PreparedCallbacks(interface)
        isPlain =
            texts.isEmpty && nullables.isEmpty && outs.isEmpty && handles == nil && special == nil
            && callbacks == nil
        for index in 0..<count {
            unsafe (arguments + index).initialize(to: words + index)
            if let field = signature.parameters[index].passing.input {
                unsafe point(parameter: index, at: inputs + signature.inputs.fields[field].offset)
            }
        }
        for out in outs { unsafe words[out.parameter] = UInt(bitPattern: out.buffer.base) }
    }

    deinit {
        dropHandles()
        // Safe because this was the last use.
        unsafe ValueMemory.destroy(inputs, as: .record(interface.signature.inputs))
        unsafe ValueMemory.destroy(outcome, as: .record(interface.signature.outcome))
        unsafe inputs.deallocate()
        unsafe outcome.deallocate()
        unsafe result.deallocate()
        unsafe arguments.deallocate()
        unsafe words.deallocate()
        unsafe sources.deallocate()
        unsafe message.deallocate()
    }

    /// Where the value of an input is stored: field `field` of `signature.inputs`, initialised.
    public func inputAddress(_ field: Int) -> UnsafeMutableRawPointer {
        // Safe because the field lies within the record.
        unsafe inputs + interface.signature.inputs.fields[field].offset
    }

    /// Whether a value of type `bytes` among the inputs begins at `payload`.
    public func hasArgument(_ payload: UnsafeRawPointer) -> Bool {
        // Safe because the inputs are initialised.
        unsafe ValueMemory.hasBytes(payload, in: inputs, as: .record(interface.signature.inputs))
    }

    /// Reads parameter `parameter` from `address`, where its input is, from now on.
    private func point(parameter: Int, at address: UnsafeRawPointer) {
        // Safe because there is one of each for every parameter, libffi only reads arguments, and the first
        // word of a text or list is the pointer that C needs.
        switch interface.signature.parameters[parameter].passing {
        case .recordPointer: unsafe words[parameter] = UInt(bitPattern: address)
        case .out, .nullable: unsafe sources[parameter] = address
        default: unsafe arguments[parameter] = UnsafeMutableRawPointer(mutating: address)
        }
    }

    /// Passes this token for `spin_call *` from now on.
    public func setCall(_ token: CallToken) {
        self.token = token
        for (index, parameter) in interface.signature.parameters.enumerated() {
            // Safe because there is a word for each parameter.
            if case .call = parameter.passing { unsafe words[index] = token.bits }
        }
    }

    /// Passes the address of this instance for `spin_self *` from now on. It must have been created when the
    /// function is called.
    public func setInstance(_ instance: PluginInstance) {
        self.instance = instance
        for (index, parameter) in interface.signature.parameters.enumerated() {
            // Safe because the instance, and so its cell, is kept.
            if case .instance = parameter.passing {
                unsafe arguments[index] = UnsafeMutableRawPointer(instance.cell)
            }
        }
    }

    /// Answers the calls that C makes of the callbacks, from the next call on.
    ///
    /// - Precondition: it must be set before a call with callbacks.
    public func setCallbacks(_ sink: any CallbackSink) { callbacks?.sink = sink }

    /// The outcome of the last call that did not throw: a record of type `signature.outcome`, whose strings
    /// and lists it owns. Unchanged until the next call.
    public var outcomeAddress: UnsafeRawPointer { unsafe UnsafeRawPointer(outcome) }

    /// Calls the function on this thread and copies its results.
    ///
    /// An `errno` other than 0 or a negative result is no error here: `fails-if` decides.
    /// - Throws: without a call, `DiagnosticCode.badArgument` for a text with a NUL inside and for a value
    ///   that does not fit the memory of an out-parameter. `callThrew` for a C++ exception, `callCrashed` for
    ///   a crash in a guarded plugin, and `quarantined` for each later call of that plugin. `callOverran`
    ///   when the function wrote outside of an out-parameter, and `badResult` when a result is not of its
    ///   type, such as text that is not UTF-8.
    public func invoke() throws(PluginError) {
        guard isPlain else { return try invokeWithCare() }
        // Safe because the interface describes the function, as the manifest declares it, and the arguments;
        // the outcome has an `errno`.
        let status = unsafe foreign_call(
            foreign, code, arguments, result, errorNumber, message.baseAddress, message.count)
        guard status == FOREIGN_RETURNED else { throw failure(status) }
        try takeResult()
    }

    /// A call that needs preparation, or work on its outcome.
    private func invokeWithCare() throws(PluginError) {
        if !nullables.isEmpty { for nullable in nullables { point(nullable) } }
        if !texts.isEmpty { for parameter in texts { try checkText(parameter) } }
        if !outs.isEmpty { for out in outs { unsafe try begin(out, sources[out.parameter]) } }
        var code = unsafe self.code
        // The result may be in the library of the version that is called.
        var closing: FunctionAddress?
        defer { withExtendedLifetime(closing) {} }
        if let handles {
            dropHandles()
            // Safe because the release function has one argument, a pointer, in every version.
            if handles.use.closes, let own = unsafe handles.table.forget(arguments[0]!.load(as: UInt.self)) {
                // A pointer that another version opened is for that version to close. The table kept it
                // mapped.
                unsafe code = own.pointer
                closing = own
            }
        }
        // Safe because there is a word for each parameter.
        if let callbacks { try callbacks.begin { unsafe words[$0] = $1 } }
        defer { callbacks?.end() }
        let isOnProbation = interface.probation?.begin() == true
        defer { if isOnProbation { interface.probation?.hasReturned() } }
        // Safe because the interface describes the function and the arguments; the outcome has an `errno`.
        let status =
            if let special { unsafe call(special, code) } else {
                unsafe foreign_call(
                    foreign, code, arguments, result, errorNumber, message.baseAddress, message.count)
            }
        if !outs.isEmpty { for out in outs { try checkOverrun(out) } }
        guard status == FOREIGN_RETURNED else { throw failure(status) }
        if let handles { hold(handles) }
        try takeResult()
        if !outs.isEmpty { for out in outs { try take(out) } }
    }

    /// The error of a call that did not return.
    private func failure(_ status: Int32) -> PluginError {
        // Safe because the call has left its message.
        unsafe interface.function.image.failure(status, message, of: interface.callee, in: token)
    }

    private func call(_ image: PluginImage, _ code: UnsafeRawPointer) -> Int32 {
        // Safe because the interface describes the function and the arguments; the outcome has an `errno`.
        guard image.isGuarded else {
            let owner = unsafe image.enter()
            defer { unsafe image.leave(owner) }
            return unsafe foreign_call(
                foreign, code, arguments, result, errorNumber, message.baseAddress, message.count)
        }
        let status = unsafe foreign_call_guarded(
            foreign, code, arguments, result, errorNumber, message.baseAddress, message.count)
        image.settle(interface.callee)
        return status
    }

    private static func nullable(_ index: Int, _ signature: CallSignature) -> Nullable? {
        guard case .nullable(let passing) = signature.parameters[index].passing,
            let field = passing.input
        else { return nil }
        let isAddress = if case .recordPointer = passing { true } else { false }
        return Nullable(
            parameter: index, distance: signature.inputs.fields[field].type.wrappedOffset,
            isAddress: isAddress)
    }

    /// Passes the value of the optional, or null.
    private func point(_ nullable: Nullable) {
        // Safe because the source is an initialised optional, whose value follows its `has`. The value of a
        // text or list begins with the pointer.
        guard let source = unsafe sources[nullable.parameter], unsafe source.load(as: UInt8.self) != 0 else {
            unsafe words[nullable.parameter] = 0
            return
        }
        let value = unsafe source + nullable.distance
        unsafe words[nullable.parameter] =
            nullable.isAddress ? UInt(bitPattern: value) : value.load(as: UInt.self)
    }

    /// Refuses a text with a NUL inside, which C would read as its end.
    private func checkText(_ parameter: Int) throws(PluginError) {
        // Safe because the argument is an initialised `string`, or an optional one.
        var place = unsafe UnsafeRawPointer(arguments[parameter]!)
        if let nullable = nullables.first(where: { $0.parameter == parameter }) {
            guard unsafe words[parameter] != 0, let source = unsafe sources[parameter] else { return }
            unsafe place = source + nullable.distance
        }
        let text = unsafe ValueMemory.span(place)
        guard let start = text.baseAddress, unsafe memchr(start, 0, text.count) != nil else { return }
        throw fault(
            .badArgument,
            "takes C text for `\(interface.signature.parameters[parameter].name)`, which cannot hold a NUL",
            help: ["declare the parameter as `spin_string`, or pass text without NUL"])
    }
}

extension CallSignature.Passing {
    /// Whether it is text that C ends at a NUL.
    fileprivate var isCText: Bool {
        switch self {
        case .cString: true
        case .nullable(let passing): passing.isCText
        default: false
        }
    }
}
