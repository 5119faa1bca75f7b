import Glibc
import References

/// The effect of `Benchmarks/plugins/step.c`, as a C program finds it.
enum StepFunction {
    static func address(in library: String) -> UnsafeMutableRawPointer? {
        // Safe because the plugin was built for this benchmark, and its constant has the header's type.
        let handle = unsafe dlopen(library, RTLD_NOW | RTLD_LOCAL)
        let constant = unsafe dlsym(handle, "spin_effect_step_toward")
        guard let constant = unsafe constant else { preconditionFailure("step.so has the effect") }
        return unsafe reference_effect_function(constant)
    }
}
