import FuzzTargets
import Testing

/// Every target with the seeds of `script/fuzz`, and with all that it ever found.
@Suite(.serialized) struct FuzzTargetTests {
    @Test(arguments: FuzzTarget.allCases)
    func endsForEverySeed(target: FuzzTarget) throws {
        let seeds = try target.seeds()
        #expect(seeds.count >= 3)
        for seed in seeds { target.run(seed) }
    }

    /// Cut short, as a file that is still being written: after every seventh byte of the small ones, every 97th of the
    /// others.
    @Test(arguments: FuzzTarget.allCases)
    func endsForEverySeedCutShort(target: FuzzTarget) throws {
        for seed in try target.seeds() {
            for end in stride(from: 0, to: seed.count, by: seed.count < 100 ? 7 : 97) {
                target.run(Array(seed.prefix(end)))
            }
        }
    }
}
