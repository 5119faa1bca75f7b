import CForeignCall
import Glibc
import Interfaces
import Records

/// The memory of one call: its arguments, the buffers it writes into, and its outcome. It is made once and
/// used for any number of calls, one after the other; calls that run at the same time need one each.
///
/// Addresses that it hands out are valid while it lives. A call with scalars allocates nothing.
// Safe because its user is one thread at a time, which is what a call by its nature has.
@safe
public final class PreparedCall: @unchecked Sendable {
    /// The function and its signature.
    public let interface: CallInterface

    /// What an out-parameter needs.
    struct Out {
        let parameter: Int
        let buffer: GuardedBuffer
        let form: CallArgument.OutForm
        /// The value's type, and its distance from the start of the outcome.
        let type: ValueType
        let offset: Int
        /// The type of what the buffer begins with, a field of the inputs; nil when it begins with zeros.
        let inputType: ValueType?
        /// The integer of the outcome that says how many bytes are used; nil: all.
        let used: (type: IntegerType, offset: Int)?
    }

    /// What an argument that may be null needs.
    private struct Nullable {
        let parameter: Int
        /// From the optional's start to its value.
        let distance: Int
        /// Whether the value's address is passed, and not the pointer that it begins with.
        let isAddress: Bool
    }

    // What each call needs is kept here, so that none walks through the objects that it comes from.
    let resultForm: ResultForm
    private let foreign: OpaquePointer
    private let code: UnsafeRawPointer
    /// Set when a call needs more than to be made: the function is linked into the process, and its host found by who
    /// calls it; or it is guarded, or on probation.
    private let special: PluginImage?
    /// What is passed for `spin_call *`.
    private(set) var token: CallToken?

    let outs: [Out]
    let result: UnsafeMutableRawPointer
    let outcome: UnsafeMutableRawPointer
    let inputs: UnsafeMutableRawPointer
    private let arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    /// What is passed where the argument is an address or a token that no record holds.
    private let words: UnsafeMutablePointer<UInt>
    /// For each parameter whose buffer begins with a value, or that may be null, where that is read from.
    private let sources: UnsafeMutablePointer<UnsafeRawPointer?>
    /// Parameters to look at before each call: text that C ends at a NUL.
    private let texts: [Int]
    /// Arguments that may be null, which is known before each call.
    private let nullables: [Nullable]
    /// Nothing has to be done but the call itself.
    private let isPlain: Bool
    /// Set when it opens or closes pointers that are kept account of.
    private let handles: (use: HandleUse, table: OpenHandles, release: FunctionAddress)?
    /// What the last call opened.
    private var opened: [HandleHold.Handle] = []
    /// The outcome's `errno`.
    private let errorNumber: UnsafeMutablePointer<Int32>
    /// The instance that the function is called for, whose address is read from there at each call.
    private var instance: PluginInstance?
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
        // What says how many bytes are used is taken first.
        self.outs = outs.filter { $0.used == nil } + outs.filter { $0.used != nil }
        texts = signature.parameters.indices.filter { signature.parameters[$0].passing.isCText }
        nullables = signature.parameters.indices.compactMap { Self.nullable($0, signature) }
        isPlain =
            texts.isEmpty && nullables.isEmpty && outs.isEmpty && handles == nil && special == nil
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

    /// From now on parameter `parameter` is read from `address`, where its input lies.
    private func point(parameter: Int, at address: UnsafeRawPointer) {
        // Safe because there is one of each for every parameter, libffi only reads arguments, and a text's or list's first
        // word is the pointer that C wants.
        switch interface.signature.parameters[parameter].passing {
        case .recordPointer: unsafe words[parameter] = UInt(bitPattern: address)
        case .out, .nullable: unsafe sources[parameter] = address
        default: unsafe arguments[parameter] = UnsafeMutableRawPointer(mutating: address)
        }
    }

    /// The token that is passed for `spin_call *` from now on.
    public func setCall(_ token: CallToken) {
        self.token = token
        for (index, parameter) in interface.signature.parameters.enumerated() {
            // Safe because there is a word for each parameter.
            if case .call = parameter.passing { unsafe words[index] = token.bits }
        }
    }

    /// The instance whose address is passed for `spin_self *` from now on; it must have been created when the function is called.
    public func setInstance(_ instance: PluginInstance) {
        self.instance = instance
        for (index, parameter) in interface.signature.parameters.enumerated() {
            // Safe because the instance, and so its cell, is kept.
            if case .instance = parameter.passing {
                unsafe arguments[index] = UnsafeMutableRawPointer(instance.cell)
            }
        }
    }

    /// The outcome of the last call that did not throw: a record of type `signature.outcome`, whose strings
    /// and lists it owns. Unchanged until the next call.
    public var outcomeAddress: UnsafeRawPointer { unsafe UnsafeRawPointer(outcome) }

    /// Calls the function on this thread and takes over what it returned and wrote.
    ///
    /// An `errno` other than 0 or a negative result is no error here: `fails-if` decides.
    /// - Throws: `DiagnosticCode.badArgument` for a text with a NUL inside, and for a value that does not fit the memory
    ///   of an out-parameter, without calling; `callThrew` for
    ///   a C++ exception; `callCrashed` for a crash in a guarded plugin, and `quarantined` ever after, without
    ///   calling; `callOverran` when the function wrote outside of an out-parameter; `badResult` when
    ///   what came back is not of its type, such as text that is not UTF-8.
    public func invoke() throws(PluginError) {
        guard isPlain else { return try invokeWithCare() }
        // Safe because the interface describes the function, as the manifest declares it, and the arguments; the outcome has
        // an `errno`.
        let status = unsafe foreign_call(
            foreign, code, arguments, result, errorNumber, message.baseAddress, message.count)
        guard status == FOREIGN_RETURNED else { throw failure(status) }
        try takeResult()
    }

    /// A call with more to do than to make it.
    private func invokeWithCare() throws(PluginError) {
        if !nullables.isEmpty { for nullable in nullables { point(nullable) } }
        if !texts.isEmpty { for parameter in texts { try checkText(parameter) } }
        if !outs.isEmpty { for out in outs { unsafe try begin(out, sources[out.parameter]) } }
        var code = unsafe self.code
        // What it returns may lie in the library of the version that is called.
        var closing: FunctionAddress?
        defer { withExtendedLifetime(closing) {} }
        if let handles {
            dropHandles()
            // Safe because the release function has one argument, a pointer, in every version.
            if handles.use.closes, let own = unsafe handles.table.forget(arguments[0]!.load(as: UInt.self)) {
                // What another version has opened is for that one to close; the table kept it mapped.
                unsafe code = own.pointer
                closing = own
            }
        }
        let isOnProbation = interface.probation?.begin() == true
        defer { if isOnProbation { interface.probation?.hasReturned() } }
        // Safe because of the same as in `invoke`.
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

    /// What a call that did not return failed with.
    private func failure(_ status: Int32) -> PluginError {
        // Safe because the call has left its message.
        let failure = unsafe interface.function.image.failure(
            status, message, of: interface.callee, in: token)
        return fault(failure.code, failure.text, help: failure.help)
    }

    private func call(_ image: PluginImage, _ code: UnsafeRawPointer) -> Int32 {
        // Safe because of the same as in `invoke`.
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

    /// Holds what the call has opened, until the next one or the end of this object.
    private func hold(_ handles: (use: HandleUse, table: OpenHandles, release: FunctionAddress)) {
        func open(_ address: UInt) {
            guard address != 0, let number = handles.table.open(address, closedBy: handles.release)
            else { return }
            opened.append(HandleHold.Handle(address: address, number: number))
        }
        // Safe because a result that is a pointer is in the slot, and a buffer of pointers has whole ones.
        if handles.use.returnsHandle { unsafe open(result.load(as: UInt.self)) }
        for out in outs where handles.use.outs.contains(out.parameter) {
            for offset in stride(from: 0, to: out.buffer.size, by: MemoryLayout<UInt>.size) {
                unsafe open(out.buffer.base.load(fromByteOffset: offset, as: UInt.self))
            }
        }
    }

    private func dropHandles() {
        guard let handles, !opened.isEmpty else { return }
        for handle in opened { handles.table.drop(handle) }
        opened = []
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

    /// Passes what the optional holds, or null.
    private func point(_ nullable: Nullable) {
        // Safe because the source is an initialised optional, whose value follows its `has`; of a text or list that is the pointer.
        guard let source = unsafe sources[nullable.parameter], unsafe source.load(as: UInt8.self) != 0 else {
            unsafe words[nullable.parameter] = 0
            return
        }
        let value = unsafe source + nullable.distance
        unsafe words[nullable.parameter] =
            nullable.isAddress ? UInt(bitPattern: value) : value.load(as: UInt.self)
    }

    /// Refuses a text with a NUL inside, which C would take for its end.
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
