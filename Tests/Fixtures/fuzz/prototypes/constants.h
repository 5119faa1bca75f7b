enum sums { A = (1 + 2) * 3, B = 0x7F, C = 'a', D = ~A & 0xFF, E = A > B, F = 1 ? 2 : 3, G = -7 % 3, H = 1u << 31 };
char *name(const char path[PATH], const uint8_t *data, void *handle, void **slot);
