/// A file that is looked at again and again, and taken when it stayed the same from one look to the next: one that is being written
/// is not.
///
/// A file whose last write is too recent is not taken either. Two writes in one tick of the kernel's clock leave the
/// same mark, and the second one would never be seen.
struct SettledFile: Sendable {
    let path: String
    private var seen: FileMark?
    private var taken: FileMark?
    /// The one that was taken again last, and how often.
    private var retried: (mark: FileMark?, count: Int) = (nil, 0)

    /// Whether the file may be empty. Otherwise one that is empty is being written.
    private let mayBeEmpty: Bool

    /// - Parameter taken: the mark of what was taken already.
    init(_ path: String, mayBeEmpty: Bool = false, taken: FileMark? = nil) {
        (self.path, self.mayBeEmpty, self.taken) = (path, mayBeEmpty, taken)
    }

    /// Looks; true when the file is there, as it was at the last look, and another one than that which was taken: it is taken then.
    mutating func settles() -> Bool {
        let mark = FileMark(path, mayBeEmpty: mayBeEmpty)
        defer { seen = mark }
        // A file that is gone or empty is about to be there again.
        guard let mark, mark == seen, mark != taken, !mark.isFresh else { return false }
        taken = mark
        return true
    }

    /// Counts this as a look.
    mutating func look() { seen = FileMark(path, mayBeEmpty: mayBeEmpty) }

    /// Takes it again, though it stays the same.
    mutating func forget() { taken = nil }

    /// Takes it again, though it stays the same, but not more than twice.
    mutating func retry() {
        if retried.mark != taken { retried = (taken, 0) }
        guard retried.count < 2 else { return }
        retried.count += 1
        taken = nil
    }
}
