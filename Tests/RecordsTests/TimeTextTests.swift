import Records
import Testing

struct TimeTextTests {
    @Test(arguments: [
        ("1.5s", 1_500_000_000), ("1h30m", 5_400_000_000_000), ("-100ms", -100_000_000), ("0", 0),
        ("1us", 1000),
        ("1µs1ns", 1001), (".5s", 500_000_000), ("9223372036.854775807s", Int64.max),
        ("+2m", 120_000_000_000),
    ])
    func duration_reads(_ text: String, _ nanoseconds: Int64) {
        #expect(TimeText.nanoseconds(ofDuration: text) == nanoseconds)
    }

    @Test(arguments: ["", "5", "s", "1.5", "1 s", "--1s", "9223372036.854775808s", "9999999h", "1d", "٣s"])
    func duration_refuses(_ text: String) {
        #expect(TimeText.nanoseconds(ofDuration: text) == nil)
    }

    @Test(arguments: [
        (Int64.min, "1677-09-21T00:12:43.145224192Z"), (0, "1970-01-01T00:00:00Z"),
        (-1, "1969-12-31T23:59:59.999999999Z"),
        (Int64.max, "2262-04-11T23:47:16.854775807Z"), (1_709_164_800_000_000_000, "2024-02-29T00:00:00Z"),
    ])
    func timestamp_roundTrips_toTheEndsOfItsRange(_ nanoseconds: Int64, _ text: String) {
        let timestamp = Timestamp(nanosecondsSinceEpoch: nanoseconds)
        #expect(TimeText.rfc3339(timestamp) == text)
        #expect(TimeText.timestamp(ofRFC3339: text) == timestamp)
        #expect(timestamp.nanosecondsSinceEpoch == nanoseconds)
    }

    @Test func timestamp_appliesItsOffset() {
        #expect(
            TimeText.timestamp(ofRFC3339: "2026-01-01T01:30:00+01:30")
                == TimeText.timestamp(ofRFC3339: "2026-01-01T00:00:00Z"))
    }

    @Test(arguments: [
        "", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01", "2026-01-01T24:00:00Z",
        "2026-01-01T00:00:00",
        "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00Zx", "2026-01-01T00:00:00+1:00",
    ])
    func timestamp_refuses(_ text: String) {
        #expect(TimeText.timestamp(ofRFC3339: text) == nil)
    }

    @Test func timestamp_beyondItsRange_isNotStored() throws {
        var record = Record(RecordType([("at", .timestamp)]))
        let far = try #require(TimeText.timestamp(ofRFC3339: "2300-01-01T00:00:00Z"))
        let error = #expect(throws: RecordError.self) { try record.set("at", to: .timestamp(far)) }
        #expect(error?.description == "`at`: the timestamp lies outside 1677 to 2262")
    }
}
