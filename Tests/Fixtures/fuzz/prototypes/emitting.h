void watch(spin_call *call, spin_strings names, spin_duration every, const spin_bytes *raw); // done later
