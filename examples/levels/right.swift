/// One step from `from` toward `to`.
@c(step_toward)
func stepToward(_ from: Int64, _ to: Int64) -> Int64 {
    from < to ? from + 1 : from - 1
}
