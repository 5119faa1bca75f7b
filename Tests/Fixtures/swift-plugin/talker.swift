import SpinPlugin

#plugin("talker", "1.0.0")

/// Prints a greeting; the number of characters in it.
@Effect(failsIf: "result < 0")
func greet(name: String) -> Int64 {
    let text = "hello \(name)"
    return Host.print(text) == .ok ? Int64(text.count) : -1
}

/// Fails with `reason`.
@Effect
func refuse(_ call: Call, _ reason: String) { call.fail(reason, code: Status(rawValue: -42)) }

@Emitter func all(
    _ call: Call, _ b: Bool, _ u8: UInt8, _ text: String, _ i16: Int16, _ bytes: [UInt8], _ f: Float,
    for time: Duration, at instant: Timestamp, count: UInt32
) -> Status

/// Emits `all` with what it gets, and the number of `texts`.
@Effect
func echo(
    _ call: Call, b: Bool, u8: UInt8, text: String, i16: Int16, bytes: [UInt8], f: Float, time: Duration,
    instant: Timestamp, texts: [String]
) throws {
    let status = all(
        call, b, u8, text, i16, bytes, f, for: time, at: instant, count: UInt32(texts.joined().utf8.count))
    guard status == .ok else { throw status }
    call.finish()
}

/// Two louder, by a function in C.
@Effect func shout(volume: Int64) -> Int64 { louder(louder(volume)) }

/// Half of `time`, later.
@Effect func half(time: Duration) -> Duration { time / 2 }

/// A second after a time.
@Effect func after(`in`: Timestamp) -> Timestamp {
    Timestamp(nanoseconds: `in`.nanoseconds + 1_000_000_000)
}
