import HostLoop
import Manifest

extension MailboxModel {
    /// The engine's form of it.
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
