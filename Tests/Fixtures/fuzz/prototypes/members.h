/* Structures in structures, arrays, enumerations with values, typedefs. */
typedef enum { LOW = -1, HIGH = 1 << 4, NEXT } level;
struct inner { char text[1 << 3]; double grid[2][3]; const struct other *next; };
typedef struct outer { struct inner parts[4]; level how; unsigned long long count; } outer;
int measure(const outer *from, size_t count, struct inner into[], level at);
