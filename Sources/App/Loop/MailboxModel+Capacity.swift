import HostLoop
import Manifest

extension MailboxModel {
    /// The same as the engine has it.
    var capacityOfLoop: MailboxCapacity {
        let overflow: MailboxCapacity.Overflow =
            switch overflow {
            case .reject: .reject
            case .dropOldest: .dropOldest
            case .dropNewest: .dropNewest
            }
        return .bounded(capacity, overflow: overflow)
    }
}
