import CForeignCall
import CPluginABI
import Diagnostics
import HostLoop
import Records

/// One call of a function of a plugin's life cycle: `create`, `start`, `stop`, `destroy`, `save`, `restore`.
enum LifeCall {
    /// What a function answers.
    enum Answer {
        case nothing
        case status
        case pointer
    }

    /// Why it is taken for failed.
    struct Failure: Error {
        /// What the plugin says, or a sentence about what it did.
        let reason: String
        /// The diagnostic of a call that did not return; nil for one that did.
        var code: DiagnosticCode?
        /// What the function answered all the same.
        var word: UInt = 0
    }

    /// Calls a function that takes up to three pointers, and returns its answer as a word; 0 for nothing.
    ///
    /// - Throws: `Failure` for a C++ exception, and as any call of a guarded plugin for a crash and in quarantine.
    static func call(
        _ function: UnsafeRawPointer, _ name: String, for image: PluginImage,
        _ arguments: [UnsafeMutableRawPointer?], _ answer: Answer, in token: CallToken? = nil
    ) throws(Failure) -> UInt {
        let pointer = ForeignType(scalar: FOREIGN_POINTER)
        let type =
            switch answer {
            case .nothing: ForeignType(scalar: FOREIGN_VOID)
            case .status: ForeignType(scalar: FOREIGN_I32)
            case .pointer: pointer
            }
        // Safe because the types live for the call, and the function is of the type that the ABI says.
        var words = unsafe arguments
        let types = unsafe [OpaquePointer?](repeating: pointer.unsafePointer, count: words.count)
        let outcome = unsafe words.withUnsafeMutableBufferPointer { words in
            unsafe types.withUnsafeBufferPointer { types in
                unsafe invoke(function, image.callee(.life(name)), for: image, type, types, words, in: token)
            }
        }
        withExtendedLifetime((pointer, type)) {}
        switch outcome {
        case .success(let word): return word
        case .failure(let failure): throw Failure(reason: "`\(name)` \(failure.reason)", code: failure.code)
        }
    }

    private static func invoke(
        _ function: UnsafeRawPointer, _ callee: Callee, for image: PluginImage, _ result: ForeignType,
        _ types: UnsafeBufferPointer<OpaquePointer?>,
        _ words: UnsafeMutableBufferPointer<UnsafeMutableRawPointer?>, in token: CallToken?
    ) -> Result<UInt, Failure> {
        // Safe because all memory lives for the call, and libffi reads each argument through its address.
        guard
            let interface = unsafe foreign_interface_create(
                callee.pointer, result.unsafePointer, types.baseAddress, types.count)
        else { preconditionFailure("libffi knows pointers and integers") }
        defer { unsafe foreign_interface_destroy(interface) }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { message in
            unsafe withUnsafeTemporaryAllocation(byteCount: 16, alignment: 16) { slot in
                unsafe slot.initializeMemory(as: UInt8.self, repeating: 0)
                let addresses = unsafe words.indices.map { index -> UnsafeMutableRawPointer? in
                    unsafe UnsafeMutableRawPointer(words.baseAddress! + index)
                }
                var number: Int32 = 0
                let call = unsafe image.isGuarded ? foreign_call_guarded : foreign_call
                let before = unsafe image.enter()
                let status = unsafe call(
                    interface, function, addresses, slot.baseAddress!, &number, message.baseAddress,
                    message.count)
                unsafe image.leave(before)
                image.settle(callee)
                guard status == FOREIGN_RETURNED else {
                    let failure = unsafe image.failure(status, message, of: callee, in: token)
                    return .failure(Failure(reason: failure.text, code: failure.code))
                }
                return unsafe .success(slot.load(as: UInt.self))
            }
        }
    }

    /// The same with a call of its own first, which the function may fail.
    ///
    /// - Throws: `Failure` also when it called `spin_fail`.
    static func call(
        _ function: UnsafeRawPointer, _ name: String, of image: PluginImage,
        _ arguments: [UnsafeMutableRawPointer?],
        _ answer: Answer
    ) throws(Failure) -> UInt {
        let sink = LifeSink()
        let token: CallToken
        do { token = try image.services.begin(sink, for: image, effect: name) } catch {
            throw Failure(reason: error.message, code: error.code)
        }
        // Its timers and memory go with it.
        defer { image.services.cancel(token) }
        // Safe because a token is a number that the plugin does not follow.
        let call = unsafe UnsafeMutableRawPointer(bitPattern: token.bits)
        let word = unsafe try Self.call(function, name, for: image, [call] + arguments, answer, in: token)
        if let failed = sink.failure {
            throw Failure(
                reason: failed.text.isEmpty ? "code \(failed.code)" : failed.text, word: word)
        }
        return word
    }

    /// The same for a function that answers a `spin_status`.
    ///
    /// - Throws: `Failure` also for anything but `SPIN_OK`.
    static func callForStatus(
        _ function: UnsafeRawPointer, _ name: String, of image: PluginImage,
        _ arguments: [UnsafeMutableRawPointer?]
    ) throws(Failure) {
        let word = unsafe try call(function, name, of: image, arguments, .status)
        let status = Int32(truncatingIfNeeded: word)
        guard status != SPIN_OK else { return }
        throw Failure(reason: "`\(name)` answered \(status)", word: word)
    }
}

/// What a function of the life cycle does with its call.
private final class LifeSink: CallSink {
    private let failed = Lock<(code: Int32, text: String)?>(nil)

    var failure: (code: Int32, text: String)? { failed.withLock { $0 } }

    func emitted(emitter: String, payload: UnsafeRawPointer, wait: EmissionWait) -> Int32 { SPIN_UNSUPPORTED }
    func rejected(emitter: String?, reason: String) {}
    func finished() {}
    func failed(code: Int32, text: String) { failed.withLock { $0 = (code, text) } }
}
