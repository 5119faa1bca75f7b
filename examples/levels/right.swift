import SpinPlugin

#plugin("right", "1.0.0")

/// One step from `from` toward `to`.
@Effect("step_toward")
func stepToward(from: Int64, to: Int64) -> Int64 {
    from < to ? from + 1 : from - 1
}
