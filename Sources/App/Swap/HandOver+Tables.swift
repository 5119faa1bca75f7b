import Diagnostics
import PluginHost

// Function tables of a plugin that other plugins use.
extension HandOver {
    /// Asks plugins that use tables of the old version to let go, while all calls continue.
    func freeTables(_ deadline: @escaping () -> Deadline) -> Change.Step {
        Change.Step { [self] () throws(AppRefusal) in
            do throws(AppRefusal) { try oldVersion.image.closeTables(by: deadline(), limit) } catch {
                oldVersion.image.openTables()
                throw error
            }
        } undo: { [self] in
            oldVersion.image.openTables()
            return []
        }
    }
}

extension PluginImage {
    /// Lets no plugin acquire tables of this one, and waits until none uses one.
    ///
    /// - Throws: a refusal with the uses that have not ended by the deadline.
    func closeTables(by deadline: Deadline, _ limit: Duration) throws(AppRefusal) {
        let uses = closeTables(by: deadline)
        guard !uses.isEmpty else { return }
        throw AppRefusal(
            uses.map { Diagnostic(.tableUsed, "\($0) did not end within \(limit)") }, isTemporary: true)
    }

    /// Lets no plugin acquire tables of this one, and waits until none uses one.
    ///
    /// - Returns: the uses that have not ended by the deadline, in words.
    func closeTables(by deadline: Deadline) -> [String] {
        let isClosed = deadline.wait { closed in closeTables { closed(true) } } != nil
        // The last one may have ended since the deadline.
        return isClosed ? [] : tableUses
    }
}
