/* Needs no other library: what it does not export is nowhere. */
int twice(int n) { return 2 * n; }
int halve(int n) { return n / 2; }
