import CPluginABI
import Synchronization

/// The memory of one metric, which any thread finds by the metric's number without a lock.
///
/// Cells lie in chunks that are never freed, so that a wrong or an old number does no harm. A cell is used again
/// when its host is gone, with another number.
// Safe because a cell's memory is never freed, and other threads use it by atomic operations only, except the bounds,
// which are written before the number is published.
@safe struct MetricCell: @unchecked Sendable {
    /// The words of a cell: its number (0: no metric), its kind, how many bounds it has, and its value or sum.
    /// Then the counts of its buckets, and the bit patterns of its bounds.
    private enum Word {
        static let number = 0
        static let kind = 1
        static let boundCount = 2
        static let value = 3
        static let buckets = 4
        static let bounds = buckets + MetricCell.mostBounds + 1
        static let count = bounds + MetricCell.mostBounds
    }

    /// The most bounds of a histogram.
    static let mostBounds = Int(SPIN_METRIC_BOUNDS_AT_MOST)
    private static let cellsOfChunk = 16
    private static let indexBits = 16

    private let words: UnsafeMutablePointer<Atomic<UInt64>>

    // MARK: Finding a cell

    /// The addresses of the chunks; 0 for a chunk that there is not yet.
    // Safe because it is never written after its initialisation.
    nonisolated(unsafe) private static let chunks: UnsafeMutablePointer<Atomic<UInt>> = {
        let count = (1 << indexBits) / cellsOfChunk
        let chunks = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: count)
        for index in 0..<count { unsafe (chunks + index).initialize(to: Atomic(0)) }
        return unsafe chunks
    }()

    /// The cell of a metric; nil if there is no metric of that number.
    @inline(__always)
    init?(number: UInt64) {
        let index = Int(truncatingIfNeeded: number) & (1 << Self.indexBits - 1)
        let chunk = unsafe (Self.chunks + index / Self.cellsOfChunk).pointee.load(ordering: .acquiring)
        guard number != 0, let first = unsafe UnsafeMutablePointer<Atomic<UInt64>>(bitPattern: chunk) else {
            return nil
        }
        unsafe words = first + index % Self.cellsOfChunk * Word.count
        guard unsafe words[Word.number].load(ordering: .acquiring) == number else { return nil }
    }

    // MARK: Making a cell

    private struct Places {
        var free: [Int] = []
        var used = 0
        var serial: UInt64 = 0
    }

    private static let places = Mutex(Places())

    /// A new metric; nil when the process has 65,536 of them.
    static func make(_ kind: PluginMetric.Kind, bounds: [Double]) -> UInt64? {
        precondition(bounds.count <= mostBounds, "the service checks the number of bounds")
        return places.withLock { places in
            guard let index = places.free.popLast() ?? (places.used < 1 << indexBits ? places.used : nil)
            else {
                return nil
            }
            if index == places.used {
                if index % cellsOfChunk == 0 { makeChunk(at: index / cellsOfChunk) }
                places.used += 1
            }
            places.serial += 1
            let number = places.serial << UInt64(indexBits) | UInt64(index)
            let chunk = unsafe (chunks + index / cellsOfChunk).pointee.load(ordering: .relaxed)
            let words =
                unsafe UnsafeMutablePointer<Atomic<UInt64>>(bitPattern: chunk)! + index % cellsOfChunk
                * Word.count
            for word in Word.kind..<Word.count { unsafe words[word].store(0, ordering: .relaxed) }
            unsafe words[Word.kind].store(kind.word, ordering: .relaxed)
            unsafe words[Word.boundCount].store(UInt64(bounds.count), ordering: .relaxed)
            for (index, bound) in bounds.enumerated() {
                unsafe words[Word.bounds + index].store(bound.bitPattern, ordering: .relaxed)
            }
            unsafe words[Word.number].store(number, ordering: .releasing)
            return number
        }
    }

    private static func makeChunk(at place: Int) {
        let size = cellsOfChunk * Word.count
        let words = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: size)
        for index in 0..<size { unsafe (words + index).initialize(to: Atomic(0)) }
        unsafe (chunks + place).pointee.store(UInt(bitPattern: words), ordering: .releasing)
    }

    /// Ends metrics whose host is gone.
    static func free(_ numbers: some Sequence<UInt64>) {
        places.withLock { places in
            for number in numbers {
                guard let cell = MetricCell(number: number) else { continue }
                unsafe cell.words[Word.number].store(0, ordering: .releasing)
                places.free.append(Int(truncatingIfNeeded: number) & (1 << indexBits - 1))
            }
        }
    }

    // MARK: The metric

    /// The kind of the metric.
    var kind: PluginMetric.Kind { PluginMetric.Kind(word: unsafe words[Word.kind].load(ordering: .relaxed)) }

    /// Adds to the value of a counter or a gauge.
    func add(_ amount: Double) { add(amount, to: Word.value) }

    /// Sets the value of a gauge.
    func set(_ value: Double) { unsafe words[Word.value].store(value.bitPattern, ordering: .relaxed) }

    /// Adds a value to a histogram.
    func observe(_ value: Double) {
        let count = Int(unsafe words[Word.boundCount].load(ordering: .relaxed))
        var bucket = 0
        while bucket < count, value > bound(bucket) { bucket += 1 }
        unsafe words[Word.buckets + bucket].add(1, ordering: .relaxed)
        add(value, to: Word.value)
    }

    /// The number now.
    var reading: PluginMetric.Reading {
        let value = Double(bitPattern: unsafe words[Word.value].load(ordering: .relaxed))
        guard kind == .histogram else { return .value(value) }
        var total: UInt64 = 0
        let bounds = Int(unsafe words[Word.boundCount].load(ordering: .relaxed))
        let buckets = (0..<bounds).map { index in
            total += unsafe words[Word.buckets + index].load(ordering: .relaxed)
            return PluginMetric.Bucket(bound: bound(index), count: total)
        }
        total += unsafe words[Word.buckets + bounds].load(ordering: .relaxed)
        return .histogram(sum: value, count: total, buckets: buckets)
    }

    private func bound(_ index: Int) -> Double {
        Double(bitPattern: unsafe words[Word.bounds + index].load(ordering: .relaxed))
    }

    private func add(_ amount: Double, to word: Int) {
        var before = unsafe words[word].load(ordering: .relaxed)
        while true {
            let after = (Double(bitPattern: before) + amount).bitPattern
            let (isDone, found) = unsafe words[word].weakCompareExchange(
                expected: before, desired: after, ordering: .relaxed)
            if isDone { return }
            before = found
        }
    }
}

extension PluginMetric.Kind {
    fileprivate var word: UInt64 {
        switch self {
        case .counter: 0
        case .gauge: 1
        case .histogram: 2
        }
    }

    fileprivate init(word: UInt64) { self = word == 0 ? .counter : word == 1 ? .gauge : .histogram }
}
