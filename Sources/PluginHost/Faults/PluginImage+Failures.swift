import CForeignCall
import CPluginABI
import Diagnostics

extension PluginImage {
    /// The error of a call that did not return. After a crash, the other calls of the plugin are ended as
    /// well.
    ///
    /// - Parameters:
    ///   - status: the answer of `foreign_call`, not `FOREIGN_RETURNED`.
    ///   - message: the text that it wrote.
    ///   - call: the call that this is about, which its own caller ends.
    ///   - subject: the function in the error's message; nil: its name, or for a callback its description.
    func failure(
        _ status: Int32, _ message: UnsafeMutableBufferPointer<CChar>, of callee: Callee, in call: CallToken?,
        as subject: String? = nil
    ) -> PluginError {
        let name = callee.name
        let subject = subject ?? (name.isEmpty ? callee.what : "`\(name)`")
        func error(_ code: DiagnosticCode, _ text: String, help: [String] = []) -> PluginError {
            PluginError(code, "\(subject) \(text)", help: help, library: library, symbol: name)
        }
        switch Int(status) {
        case FOREIGN_CRASHED:
            // Safe because the text is NUL-terminated.
            let crash = unsafe "crashed with \(String(cString: message.baseAddress!))"
            let reason = "\(callee.what) \(crash)"
            if quarantine.begin(reason) {
                logFault("\(reason); the plugin is not called any more", call: call)
                failProbation(reason)
                HostRegistry.shared.abandonCalls(of: self, but: call)
            }
            return error(
                .callCrashed, crash,
                help: ["the plugin is not called any more in this run: what it holds may be in any state"])
        case FOREIGN_REFUSED:
            return error(
                .quarantined, "was not called: the plugin is in quarantine since \(quarantine.reason)")
        default: return unsafe error(.callThrew, "threw \(Self.describe(thrown: message))")
        }
    }

    /// Calls back into the plugin: `body` answers as `foreign_call_back` does.
    ///
    /// - Parameter subject: as for `failure`.
    /// - Returns: nil when the function returned.
    func callBack(
        _ role: Callee.Role, in call: CallToken?, as subject: @autoclosure () -> String?,
        _ body: (UnsafePointer<foreign_callee>, UnsafeMutableBufferPointer<CChar>) -> Int32
    ) -> PluginError? {
        let callee = callee(role)
        // Safe because the buffer lives for the body, and `self` for the whole call.
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { message in
            let before = unsafe enter()
            let status = unsafe body(callee.pointer, message)
            unsafe leave(before)
            settle(callee)
            guard status != FOREIGN_RETURNED else { return nil }
            return unsafe failure(status, message, of: callee, in: call, as: subject())
        }
    }

    /// Logs that a function did not return. A crash and the quarantine after it are already in the log.
    func log(_ error: PluginError, call: CallToken? = nil) {
        switch error.code {
        case .callCrashed, .quarantined: break
        default: logFault(error.message, call: call)
        }
    }
}

extension PluginError {
    /// `error.code` of a call with this error: as for all errors that the host finds, the number of the
    /// diagnostic. R120 is -1120.
    var status: Int32 {
        switch code {
        case .callCrashed: -1120
        case .quarantined: Self.quarantinedStatus
        case .workerEnded: Self.workerEndedStatus
        case .workerNotStarted: -1131
        default: SPIN_FAILED
        }
    }

    static let quarantinedStatus: Int32 = -1121
    package static let workerEndedStatus: Int32 = -1130
}
