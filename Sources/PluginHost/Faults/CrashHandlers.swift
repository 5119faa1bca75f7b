import CForeignCall
import CPluginABI
import HostLoop
public import Records

/// The handlers of the signals that a crash raises. They belong to the whole process.
package enum CrashHandlers {
    /// A handler that other code installed in place of the host's.
    struct Replaced {
        let signal: String
        /// The library of its code; nil for the default action, for ignoring, and for code in no library.
        let library: String?

        /// The line for the log.
        var text: String {
            let by = library.map { "by one of `\($0)`" } ?? "by the default action or by ignoring it"
            return "the handler of \(signal) was replaced \(by); the host's is in front of it again"
        }
    }

    private static let lock = Lock(())

    /// Has crash reports give no advice to isolate a plugin: this process is a worker.
    package static func areInWorker() { foreign_report_in_worker() }

    /// Puts the host's handlers in front of any installed ones, unless they are in front already.
    ///
    /// - Returns: the handlers that were installed since the last time.
    static func install() -> [Replaced] {
        lock.withLock { _ in
            let count = Int(FOREIGN_GUARDED_SIGNALS)
            // Safe because the memory has room for all of them.
            return unsafe withUnsafeTemporaryAllocation(of: UInt.self, capacity: count) { handlers in
                let found = unsafe foreign_guard_install(handlers.baseAddress!)
                return (0..<count).filter { found & 1 << $0 != 0 }.map { index in
                    unsafe Replaced(
                        signal: String(cString: foreign_guarded_signal(index)),
                        library: library(handlers[index]))
                }
            }
        }
    }

    private static func library(_ address: UInt) -> String? {
        // Safe because the loader only compares the address, and its text is copied.
        guard let name = unsafe foreign_image_of(UnsafeRawPointer(bitPattern: address)) else { return nil }
        return unsafe String(cString: name)
    }
}

/// The file that a plugin leaves which ends the process.
public enum CrashFile {
    /// From now on, the report about such a plugin is also written to a new file, as a JSON object. Its folders are made
    /// with it.
    ///
    /// - Parameter fields: the first fields of the object. `time`, in seconds since 1970, and `report` follow.
    public static func prepare(_ path: String, _ fields: [(String, Value)]) {
        // Safe because the texts are copied in the call.
        _ = unsafe foreign_report_to(path, "\(Value.record(fields).json.dropLast()),")
    }
}

extension PluginImage {
    /// Checks the signal handlers after the first call of a function, which may have changed them. For
    /// guarded plugins only, which need the handlers.
    func settle(_ callee: Callee) {
        // Safe because the callee is immortal.
        if isGuarded, unsafe foreign_callee_settle(callee.pointer) { putHandlersInFront() }
    }

    /// Puts the host's crash handlers in front, and logs the ones that it replaces.
    func putHandlersInFront() {
        for replaced in CrashHandlers.install() {
            log(replaced.text, level: SPIN_LOG_WARNING, call: nil, matter: .replacedHandler)
        }
    }
}
