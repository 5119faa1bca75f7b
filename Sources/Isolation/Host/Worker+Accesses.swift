import CPluginABI
import HostLoop
import PluginHost
import Records
import Sandbox

// What a worker tries to reach.
extension Worker {
    /// The worker is about to make a call of the system. Each refused call is logged once.
    func heard(_ access: Access) {
        setup.onAccess?(access)
        guard setup.policy.observation != .profile else { return }
        guard !access.isAllowed else { return }
        let isNew = refused.withLock { refused in
            refused.count < Self.mostRefused && refused.insert(access.words).inserted
        }
        if isNew { report(access.words, level: SPIN_LOG_WARNING) }
    }

    /// Different refused accesses that are told.
    private static let mostRefused = 100

    /// The worker runs without these rules, which the kernel cannot keep.
    func skipped(_ answer: [UInt8]) {
        let rules = ByteReader.read(answer) { reader -> [String] in
            let count = (try? reader.count()) ?? 0
            return (0..<count).compactMap { _ in try? reader.text() }
        }
        for rule in rules {
            report("the kernel cannot keep a rule of its sandbox: \(rule)", level: SPIN_LOG_WARNING)
        }
    }
}

extension Access {
    /// The call, and how to allow it.
    fileprivate var words: String {
        switch kind {
        case .read: "reading `\(path)` was refused; allow it with `read = [\"\(path)\"]`"
        case .write: "writing `\(path)` was refused; allow it with `write = [\"\(rulePath)\"]`"
        case .execute: "starting `\(path)` was refused; allow it with `exec = [\"\(path)\"]` and `processes`"
        // A socket is made before it connects or listens.
        case .connect where path == "tcp":
            "making a socket for TCP was refused; allow it with `connect`, such as `connect = [\"tcp:443\"]`, "
                + "or with `listen`"
        case .connect where path.hasPrefix("tcp:") || path == "unix":
            "connecting to `\(path)` was refused; allow it with `connect = [\"\(path)\"]`"
        case .connect: "connecting to `\(path)` was refused; no rule allows it"
        case .listen: "listening at `\(path)` was refused; allow it with `listen = [\"\(path)\"]`"
        case .child: "starting a child was refused; allow it with `processes`"
        case .call: "the system call `\(path)` was refused"
        }
    }
}
