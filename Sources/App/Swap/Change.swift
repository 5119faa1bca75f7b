import Diagnostics

/// A change of what a running app calls, as a whole or not at all: a swap, a roll-back, and a changed manifest are its
/// three uses.
///
/// Each prepares what is new, pauses calls or loops, carries state over, switches, and resumes. When a step refuses,
/// those before it are undone.
enum Change {
    /// A step, which has changed nothing when it throws.
    struct Step {
        let perform: () throws(AppRefusal) -> Void
        /// Undoes it; what goes wrong then.
        let undo: () -> [Diagnostic]

        init(
            _ perform: @escaping () throws(AppRefusal) -> Void,
            undo: @escaping () -> [Diagnostic] = { [] }
        ) {
            (self.perform, self.undo) = (perform, undo)
        }
    }

    /// Performs the steps in order.
    ///
    /// - Throws: what a step throws, and what went wrong when those before it were undone, the last one first.
    static func perform(_ steps: [Step]) throws(AppRefusal) {
        for (index, step) in steps.enumerated() {
            do throws(AppRefusal) { try step.perform() } catch {
                let faults = steps[..<index].reversed().flatMap { $0.undo() }
                // What did not work when it was undone is not the new version's fault alone.
                throw AppRefusal(
                    error.diagnostics + faults, isTemporary: error.isTemporary || !faults.isEmpty)
            }
        }
    }
}
