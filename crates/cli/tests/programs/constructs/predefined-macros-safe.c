// No directive says so, but this text needs a preprocessor.
extern void reach_error(void);
typedef __SIZE_TYPE__ size;
typedef __INT64_TYPE__ wide;
int main(void) {
  if (__INT_MAX__ != 2147483647 || __CHAR_BIT__ != 8 || sizeof(size) != __SIZEOF_POINTER__) reach_error();
  if (sizeof(wide) != 8 || __LINE__ != 7 || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__) reach_error();
  return 0;
}
