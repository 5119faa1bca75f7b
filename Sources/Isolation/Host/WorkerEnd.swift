import PluginHost

/// How the process of a worker has ended.
public enum WorkerEnd: Hashable, Sendable {
    /// The host has killed it, for this reason.
    case killed(String)
    case signal(Int32)
    case exited(code: Int32)

    /// - Parameter status: as of wait(2).
    init(_ status: Int32) {
        let signal = status & 0x7f
        self = signal == 0 ? .exited(code: status >> 8 & 0xff) : .signal(signal)
    }
}

extension WorkerEnd: CustomStringConvertible {
    /// The end in words: lower case, without a full stop.
    public var description: String {
        switch self {
        case .killed(let reason): reason
        case .signal(let number): "it was ended by \(SignalName.name(number))"
        case .exited(let code): "it ended itself with the exit code \(code)"
        }
    }
}
