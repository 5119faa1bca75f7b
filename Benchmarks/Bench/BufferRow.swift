import References

extension AppRow {
    /// Row N2: a plugin gives a gigabyte away in frames, each of which the loop keeps until the next one. The
    /// reference copies as much.
    ///
    /// - Parameter plugins: the folder with `frames.so`.
    static func buffers(_ plugins: String) -> AppRow {
        let (frames, size) = (256, 4 << 20)
        return AppRow(
            name: "N2", title: "a gigabyte given away", referenceTitle: "memcpy of as much", unit: "ms",
            reach: 0.1, then: nil,
            manifest: """
                [plugins.frames]
                library = "\(plugins)/frames.so"
                [loops.count]
                state  = { n = 0, last = { type = "bytes" } }
                events = { frame = { bytes = "bytes" } }
                until  = "state.n == \(frames)"
                on.frame = { set = { n = "state.n + 1", last = "event.bytes" } }
                [loops.count.feedback.give]
                effect  = "frames:give"
                args    = [\(size)]
                trigger = "state"
                """, steps: frames, unitsPerSecond: 1e3,
            reference: { reference_copies(Int64(frames), Int64(size)) == frames })
    }
}
