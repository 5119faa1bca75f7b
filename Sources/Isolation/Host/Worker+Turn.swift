import Glibc
import HostLoop
import Records

// A thread of the host that reads the answers to its own calls.
extension Worker {
    /// The process that runs now, as such a thread sees it.
    package struct Turn: ~Copyable {
        private let worker: Worker
        private let process: WorkerProcess

        fileprivate init(_ worker: Worker, _ process: WorkerProcess) {
            (self.worker, self.process) = (worker, process)
            process.reader.takeOver()
        }

        deinit { process.reader.handBack() }

        /// Reads what the process tells, until `isOver`.
        ///
        /// - Returns: false if the process has told nothing for some 20 µs, or another thread reads just now.
        package func read(until isOver: () -> Bool) -> Bool {
            process.read(rounds: max(MessageReader.rounds, 1), until: isOver) {
                kind, message throws(DamagedBytes) in
                try worker.take(kind, &message, of: process)
            }
        }
    }

    /// Lets this thread read what the present process tells, until the turn is gone; nil when none runs.
    ///
    /// The thread that reads otherwise sleeps meanwhile. So a thread that makes one call after another, and waits for each,
    /// saves two changes of threads for each.
    package func takeTurn() -> Turn? { state.withLock { $0.phase.process }.map { Turn(self, $0) } }

    /// The number of the process that runs now; nil when none does.
    package var processNumber: Int32? { state.withLock { $0.phase.process }?.number }
}
