import HostLoop
import Manifest
import Records
import Synchronization

/// Makes the idempotency keys of the runs of one feedback: `ORIGIN/LOOP/FEEDBACK/NUMBER`, or `…/EPOCH.NUMBER` from
/// the second epoch of a journal on.
///
/// Nothing is made until a plugin asks. All calls of a run have one key, as the run has one number.
final class RunKeys: Sendable {
    /// Tells one run of an app from all others, of all processes: 128 random bits.
    struct Origin: Sendable {
        /// 32 hexadecimal digits.
        let text: String

        /// Another one.
        init() { text = UInt64.random(in: 0 ... .max).hex + UInt64.random(in: 0 ... .max).hex }

        /// That of a journal, which tells its runs from all others.
        init(journal id: String) { text = id }
    }

    private let origin: Origin
    private let loop: String
    private let feedback: String
    private let epoch: Int
    /// The epochs of the runs that an earlier process has begun.
    private let earlier = Lock<[UInt64: Int]>([:])
    private let count = Atomic<UInt64>(0)

    /// - Parameter epoch: of the journal. A process may use numbers that the journal does not learn of, so the keys of
    ///   later epochs name theirs.
    init(origin: Origin, loop: String, feedback: String, epoch: Int = 1) {
        (self.origin, self.loop, self.feedback, self.epoch) = (origin, loop, feedback, epoch)
    }

    /// The number of the next run in any instance of a loop with a key: the runs of two instances have the same numbers.
    func nextNumber() -> UInt64 { count.add(1, ordering: .relaxed).newValue }

    /// Gives runs the keys that they had in earlier epochs.
    func resume(_ epochs: [UInt64: Int]) { earlier.withLock { $0 = epochs } }

    /// The longest names of loop and feedback together, in bytes. A key has at most 255.
    private static let longestNames = 160

    /// The key of a run.
    ///
    /// - Parameter number: of the run among those of its feedback.
    func key(ofRun number: UInt64) -> String {
        let epoch = earlier.withLock { $0[number] } ?? epoch
        return "\(origin.text)/\(names)/\(epoch > 1 ? "\(epoch).\(number)" : "\(number)")"
    }

    /// The record `run` of a run.
    func record(ofRun number: UInt64) -> Record { Self.record(key(ofRun: number)) }

    /// The record `run` when arguments are compared. It has the form of a key, and is the same in each state and
    /// each process. So no run begins because of its key alone.
    var comparedRecord: Record { Self.record("\(String(repeating: "0", count: 32))/\(names)/0") }

    private static func record(_ key: String) -> Record {
        var record = Record(RunRecord.type)
        do throws(RecordError) { try record.set("key", to: .string(key)) } catch {
            preconditionFailure("a key is a string: \(error)")
        }
        return record
    }

    /// The names of loop and feedback, which are ASCII. Longer names are cut, and their hash follows.
    private var names: String {
        let names = "\(loop)/\(feedback)"
        guard names.utf8.count > Self.longestNames else { return names }
        return "\(names.prefix(Self.longestNames - 17))-\(String(UInt64(hashOf: names.utf8), radix: 16))"
    }
}
