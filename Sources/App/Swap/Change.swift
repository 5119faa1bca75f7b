import Diagnostics

/// A transaction that changes the functions that a running app calls. Swap, roll-back and succession are its
/// three uses.
///
/// Each use prepares the new version, pauses calls or loops, carries state over, switches, and resumes. When
/// a step throws, the steps before it are undone.
enum Change {
    /// A step. It must have changed nothing when it throws.
    struct Step {
        let perform: () throws(AppRefusal) -> Void
        /// Undoes the step, and returns the errors of that.
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
    /// - Throws: the error of a step, followed by errors from undoing the steps before it, in reverse order.
    static func perform(_ steps: [Step]) throws(AppRefusal) {
        for (index, step) in steps.enumerated() {
            do throws(AppRefusal) { try step.perform() } catch {
                let faults = steps[..<index].reversed().flatMap { $0.undo() }
                // An error while undoing is not the fault of the new version, so another try may succeed.
                throw AppRefusal(
                    error.diagnostics + faults, isTemporary: error.isTemporary || !faults.isEmpty)
            }
        }
    }
}
