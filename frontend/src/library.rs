//! Library functions on bytes and strings, in C: read like a part of the program where it calls one it does not
//! define. `SIZE` is the model's `size_t`.

use crate::types::{DataModel, IntKind, Type, TypeId, TypeTable};

const FUNCTIONS: &[(&str, &str)] = &[
    (
        "memcpy",
        "void *memcpy(void *to, const void *from, SIZE n) {
            char *a = to; const char *b = from;
            for (SIZE i = 0; i < n; i++) a[i] = b[i];
            return to; }",
    ),
    (
        "memmove",
        "void *memmove(void *to, const void *from, SIZE n) {
            char *a = to; const char *b = from;
            if (a < b) for (SIZE i = 0; i < n; i++) a[i] = b[i];
            else for (SIZE i = n; i > 0; i--) a[i - 1] = b[i - 1];
            return to; }",
    ),
    (
        "memset",
        "void *memset(void *to, int c, SIZE n) {
            char *a = to;
            for (SIZE i = 0; i < n; i++) a[i] = (char) c;
            return to; }",
    ),
    (
        "bzero",
        "void bzero(void *to, SIZE n) {
            char *a = to;
            for (SIZE i = 0; i < n; i++) a[i] = 0; }",
    ),
    (
        "memcmp",
        "int memcmp(const void *x, const void *y, SIZE n) {
            const unsigned char *a = x, *b = y;
            for (SIZE i = 0; i < n; i++) if (a[i] != b[i]) return a[i] - b[i];
            return 0; }",
    ),
    (
        "memchr",
        "void *memchr(const void *x, int c, SIZE n) {
            const unsigned char *a = x;
            for (SIZE i = 0; i < n; i++) if (a[i] == (unsigned char) c) return (void *) (a + i);
            return 0; }",
    ),
    (
        "strlen",
        "SIZE strlen(const char *s) {
            SIZE n = 0;
            while (s[n]) n++;
            return n; }",
    ),
    (
        "strcmp",
        "int strcmp(const char *x, const char *y) {
            SIZE i = 0;
            while (x[i] && x[i] == y[i]) i++;
            return (unsigned char) x[i] - (unsigned char) y[i]; }",
    ),
    (
        "strncmp",
        "int strncmp(const char *x, const char *y, SIZE n) {
            SIZE i = 0;
            while (i < n && x[i] && x[i] == y[i]) i++;
            return i == n ? 0 : (unsigned char) x[i] - (unsigned char) y[i]; }",
    ),
    (
        "strcpy",
        "char *strcpy(char *to, const char *from) {
            SIZE i = 0;
            while ((to[i] = from[i])) i++;
            return to; }",
    ),
    (
        "strncpy",
        "char *strncpy(char *to, const char *from, SIZE n) {
            SIZE i = 0;
            while (i < n && from[i]) { to[i] = from[i]; i++; }
            while (i < n) to[i++] = 0;
            return to; }",
    ),
    (
        "strcat",
        "char *strcat(char *to, const char *from) {
            SIZE n = 0, i = 0;
            while (to[n]) n++;
            while ((to[n + i] = from[i])) i++;
            return to; }",
    ),
    (
        "strchr",
        "char *strchr(const char *s, int c) {
            SIZE i = 0;
            while (s[i] && s[i] != (char) c) i++;
            return s[i] == (char) c ? (char *) (s + i) : 0; }",
    ),
    (
        "strrchr",
        "char *strrchr(const char *s, int c) {
            char *found = 0;
            SIZE i = 0;
            do { if (s[i] == (char) c) found = (char *) (s + i); } while (s[i++]);
            return found; }",
    ),
];

/// The name such functions have as a source file.
pub const FILE: &str = "<library>";

/// The text of a library function. Its declaration says which of the types of that size `size_t` is.
pub fn text(name: &str, types: &TypeTable, declared: TypeId) -> Option<String> {
    let mut mentioned = match &types[declared] {
        Type::Function(signature) => signature.params.iter().chain([&signature.result]),
        _ => return None,
    };
    let long = mentioned.any(|t| types[*t] == Type::Int(IntKind::ULong));
    let size = if long || types.model == DataModel::Lp64 { "unsigned long" } else { "unsigned int" };
    FUNCTIONS.iter().find(|(n, _)| *n == name).map(|(_, text)| text.replace("SIZE", size))
}
