struct point { double x; double y; }
struct track { spin_string name; spin_list_point points; const spin_optional_point best; int16_t codes[3]; }
struct whole { track one; spin_list_track all; spin_optional_string note; void * handle; bool is_open; }
