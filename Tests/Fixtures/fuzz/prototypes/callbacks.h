typedef int compare(const int *left, const int *);
typedef int (*order)(const int *, const int *);
struct node;
void sort(compare *f, order g, int h(const int *, void (*)(void)));
void (*signal(int sig, void (*handler)(int)))(int);
struct operations { order all[3]; void (*visit)(struct node *_Nullable node, char *_Nullable *const values[2]); };
void walk(const struct operations *o, int (*const each)(struct operations by_value, double, ...));
void later(void (^block)(void), int (*g), int (*(void)), int (*rows)[2], int (*(*f)(int))(char));
