/// The file that keeps the run of an app, so that a later process can continue it: `[app.journal]`.
///
/// Whether a changed manifest names another journal is decided by comparing models.
public struct JournalModel: Hashable, Sendable {
    /// When a step is safe on the disk: `durable`.
    public enum Durability: String, Sendable, CaseIterable {
        /// The journal survives a crash of the process. After a loss of power, the last steps may be missing.
        case off
        /// Every commit waits for the disk. A loss of power costs the steps of at most `interval` and one
        /// sync.
        case batched
        /// A step is on the disk before the effects begin that follow from it.
        case everyStep = "every-step"
    }

    /// How much of the past the journal keeps: `keep`.
    public enum Retention: Hashable, Sendable {
        /// Everything.
        case all
        /// The steps of this time, which is longer than zero.
        case age(Duration)
        /// The last steps, in so many bytes, at least one.
        case bytes(Int)
        /// So many steps, at least one.
        case steps(Int)
    }

    /// What a journal does that cannot be written any more: `full`.
    public enum WhenFull: String, Sendable, CaseIterable {
        /// The app stops, and no further effect begins.
        case stop
        /// The app continues without the journal. Never together with `Durability.everyStep`.
        case `continue`
    }

    /// What the time between two processes is for delayed transitions (`after`): `timers`.
    public enum Timers: String, Sendable, CaseIterable {
        /// It counts.
        case wall
        /// It does not count.
        case pause
    }

    /// The file as the manifest or the command line names it.
    public let file: String
    /// The absolute path of the file, which need not exist. A relative `file` of the manifest starts in the
    /// manifest's folder, one of the command line in the current folder.
    public let path: String
    /// When a step is safe on the disk.
    public let durability: Durability
    /// The longest time from a step to its commit, without `Durability.everyStep`: 1 ms to 10 s.
    public let interval: Duration
    /// So many bytes of steps are written between two snapshots: 4 KiB to 1 TiB.
    public let snapshotSize: Int
    /// How much of the past the journal keeps. The two newest snapshots are always kept.
    public let keep: Retention
    /// What a journal does that cannot be written any more.
    public let whenFull: WhenFull
    /// What the time between two processes is for delayed transitions.
    public let timers: Timers

    /// The allowed values of `interval`.
    public static let intervals: ClosedRange<Duration> = .milliseconds(1) ... .seconds(10)
    /// The allowed values of `snapshotSize`.
    public static let snapshotSizes: ClosedRange<Int> = 4 << 10...1 << 40

    /// A journal at `path`. All else is as a manifest has it that names only the file.
    ///
    /// - Precondition: interval and size are allowed, and `continue` is not combined with `everyStep`.
    public init(
        file: String, path: String, durability: Durability = .batched,
        interval: Duration = .milliseconds(10), snapshotSize: Int = 16 << 20, keep: Retention = .all,
        whenFull: WhenFull = .stop, timers: Timers = .wall
    ) {
        precondition(Self.intervals.contains(interval), "a journal commits each millisecond to ten seconds")
        precondition(Self.snapshotSizes.contains(snapshotSize), "a snapshot follows 4 KiB to 1 TiB")
        precondition(
            durability != .everyStep || whenFull == .stop, "an app whose effects wait for a journal has one")
        (self.file, self.path, self.durability) = (file, path, durability)
        (self.interval, self.snapshotSize, self.keep) = (interval, snapshotSize, keep)
        (self.whenFull, self.timers) = (whenFull, timers)
    }
}
