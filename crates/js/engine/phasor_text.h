// Faster string and regular expression operations, with the same result. Part of `phasor_engine.h`, which says how calls are rewritten.
//
// QuickJS compares character by character where the C library has a faster function, tries a regular expression at positions where no
// match can start, and, in `split`, creates an array and five properties for each position that does not match.

// A function that is done with many characters or elements has taken as long as many calls: whether to stop is asked the sooner.
#define PHASOR_TOOK(ctx, count) ((ctx)->interrupt_counter -= (int)((count) / 64))

// ---- Where one text is in another

#define string_indexof_char(text, character, from) PHASOR_JOIN(PHASOR_CHARACTER_, PHASOR_KIND(from))(text, character, from)
#define PHASOR_CHARACTER_CALL(...) phasor_find_character(__VA_ARGS__)
#define PHASOR_CHARACTER_DEFINITION(...) \
    phasor_find_character(JSString *text, int character, int from) { \
        if (!text->is_wide_char) { \
            const uint8_t *found = character > 0xff ? NULL : memchr(str8(text) + from, character, text->len - from); \
            return found ? found - str8(text) : -1; \
        } \
        /* Four at a time, until one of them is the right one. */ \
        const uint64_t ones = 0x0001000100010001; \
        int at = from; \
        for (; at + 4 <= text->len; at += 4) { \
            uint64_t four; \
            memcpy(&four, str16(text) + at, sizeof(four)); \
            four ^= ones * (uint16_t)character; \
            if ((four - ones) & ~four & (ones << 15)) break; \
        } \
        for (; at < text->len; at++) if (str16(text)[at] == character) return at; \
        return -1; \
    } \
    static __attribute__((unused)) int string_indexof_char(__VA_ARGS__)

#define string_indexof(text, wanted, from) PHASOR_JOIN(PHASOR_TEXT_IN_, PHASOR_KIND(from))(text, wanted, from)
#define PHASOR_TEXT_IN_CALL(...) phasor_find_text(__VA_ARGS__)
#define PHASOR_TEXT_IN_DEFINITION(...) \
    phasor_find_text(JSString *text, JSString *wanted, int from) { \
        int length = wanted->len, last = (int)text->len - length; \
        if (length == 0 || from > last) return length == 0 ? from : -1; \
        if (!text->is_wide_char && !wanted->is_wide_char) { \
            const uint8_t *found = memmem(str8(text) + from, text->len - from, str8(wanted), length); \
            return found ? found - str8(text) : -1; \
        } \
        for (int first = string_get(wanted, 0), at = from; at <= last; at++) { \
            at = phasor_find_character(text, first, at); \
            if (at < 0 || at > last) return -1; \
            if (!string_cmp(text, wanted, at + 1, 1, length - 1)) return at; \
        } \
        return -1; \
    } \
    static __attribute__((unused)) int string_indexof(__VA_ARGS__)

#define js_string_indexOf(...) \
    engine_string_indexOf(__VA_ARGS__); \
    static JSValue js_string_indexOf(__VA_ARGS__) { \
        int from = 0; \
        if (lastIndexOf || !JS_IsString(this_val) || !JS_IsString(argv[0])) \
            return engine_string_indexOf(ctx, this_val, argc, argv, lastIndexOf); \
        JSValue text = JS_ToString(ctx, this_val), wanted = JS_ToString(ctx, argv[0]), place = JS_EXCEPTION; \
        if (!JS_IsException(text) && !JS_IsException(wanted) && \
            (argc < 2 || !JS_ToInt32Clamp(ctx, &from, argv[1], 0, JS_VALUE_GET_STRING(text)->len, 0))) { \
            PHASOR_TOOK(ctx, JS_VALUE_GET_STRING(text)->len); \
            place = js_int32(string_indexof(JS_VALUE_GET_STRING(text), JS_VALUE_GET_STRING(wanted), from)); \
        } \
        JS_FreeValue(ctx, text); \
        JS_FreeValue(ctx, wanted); \
        return place; \
    } \
    static JSValue engine_string_indexOf(__VA_ARGS__)

#define js_string_includes(...) \
    engine_string_includes(__VA_ARGS__); \
    static JSValue js_string_includes(__VA_ARGS__) { \
        if (magic != 0 || !JS_IsString(this_val) || !JS_IsString(argv[0])) \
            return engine_string_includes(ctx, this_val, argc, argv, magic); \
        JSValue place = (js_string_indexOf)(ctx, this_val, argc, argv, 0); \
        return JS_IsException(place) ? place : js_bool(JS_VALUE_GET_INT(place) >= 0); \
    } \
    static JSValue engine_string_includes(__VA_ARGS__)

// ---- Texts made of another

// Of ASCII only, a text in another case has as many letters as before. One function makes both cases.
#define js_string_toLowerCase(...) \
    engine_string_toLowerCase(__VA_ARGS__); \
    static bool phasor_is_ascii(JSString *text) { \
        uint64_t all = 0, eight; \
        uint32_t at = 0; \
        if (text->is_wide_char) return false; \
        for (; at + sizeof(eight) <= text->len; at += sizeof(eight)) { \
            memcpy(&eight, str8(text) + at, sizeof(eight)); \
            all |= eight; \
        } \
        for (; at < text->len; at++) all |= str8(text)[at]; \
        return !(all & 0x8080808080808080); \
    } \
    static JSValue js_string_toLowerCase(__VA_ARGS__) { \
        JSValue value = JS_ToStringCheckObject(ctx, this_val); \
        if (JS_IsException(value)) return value; \
        JSString *text = JS_VALUE_GET_STRING(value); \
        JSValue result = JS_EXCEPTION; \
        if (!phasor_is_ascii(text)) { \
            result = engine_string_toLowerCase(ctx, value, argc, argv, to_lower); \
        } else { \
            uint32_t length = text->len; \
            PHASOR_TOOK(ctx, length); \
            JSString *made = js_alloc_string(ctx, length, false); \
            uint8_t first = to_lower ? 'A' : 'a'; \
            for (uint32_t at = 0; made && at < length; at++) { \
                uint8_t character = str8(text)[at]; \
                str8(made)[at] = character ^ ((uint8_t)(character - first) < 26 ? 0x20 : 0); \
            } \
            if (made) str8(made)[length] = 0; \
            if (made) result = JS_MKPTR(JS_TAG_STRING, made); \
        } \
        JS_FreeValue(ctx, value); \
        return result; \
    } \
    static JSValue engine_string_toLowerCase(__VA_ARGS__)

// ---- Where a match may begin

// The engine tries an expression that is not sticky at one place after the other, by a loop of bytecode that stands before it. After
// the first few it is worked out here with which characters a match can begin, and only those places are tried. Only what is certain
// counts: an expression that may be empty, or begins with any character, is tried everywhere.
#define lre_exec_backtrack(state, ...) PHASOR_JOIN(PHASOR_BACKTRACK_, PHASOR_KIND(state))(state, __VA_ARGS__)
#define PHASOR_BACKTRACK_CALL(...) phasor_search(__VA_ARGS__)
#define PHASOR_BACKTRACK_DEFINITION(...) \
    lre_exec_backtrack(__VA_ARGS__); \
    /* So long is the loop. */ \
    enum { PHASOR_LOOP = 5 + 1 + 5 }; \
    /* The characters below 256, whether any above, and whether only what is at the very beginning of the text. */ \
    typedef struct { \
        bool has[256], has_others, is_only_at_begin; \
        int steps; \
    } PhasorFirsts; \
    static void phasor_add_character(PhasorFirsts *firsts, const REExecContext *s, uint32_t wanted, bool is_folded) { \
        firsts->has_others |= is_folded || wanted > 0xff; \
        if (!is_folded && wanted <= 0xff) firsts->has[wanted] = true; \
        for (uint32_t character = 0; is_folded && character < 256; character++) { \
            firsts->has[character] |= lre_canonicalize(character, s->is_unicode) == wanted; \
        } \
    } \
    static void phasor_add_ranges(PhasorFirsts *firsts, const REExecContext *s, const uint8_t *code, int width, bool is_folded) { \
        bool is_in[256] = { false }; \
        const uint8_t *range = code + 2; \
        for (int left = get_u16(code); left > 0; left--, range += 2 * width) { \
            uint32_t low = width == 2 ? get_u16(range) : get_u32(range), high = width == 2 ? get_u16(range + 2) : get_u32(range + 4); \
            for (uint32_t character = low; character <= high && character < 256; character++) is_in[character] = true; \
        } \
        firsts->has_others = true; \
        for (uint32_t character = 0; character < 256; character++) { \
            uint32_t folded = is_folded ? lre_canonicalize(character, s->is_unicode) : character; \
            firsts->has[character] |= folded > 0xff || is_in[folded]; \
        } \
    } \
    /* False where it cannot be told. */ \
    static bool phasor_add_firsts(PhasorFirsts *firsts, const REExecContext *s, const uint8_t *code) { \
        while (firsts->steps-- > 0) { \
            int operation = *code++; \
            switch (operation) { \
            case REOP_line_start: \
                return true; \
            case REOP_goto: \
                code += 4 + (int)get_u32(code); \
                continue; \
            case REOP_split_goto_first: case REOP_split_next_first: \
                if (!phasor_add_firsts(firsts, s, code + 4 + (int)get_u32(code))) return false; \
                code += 4; \
                continue; \
            case REOP_save_start: \
                code += 1; \
                continue; \
            } \
            firsts->is_only_at_begin = false; \
            switch (operation) { \
            case REOP_char: case REOP_char_i: \
                phasor_add_character(firsts, s, get_u16(code), operation == REOP_char_i); \
                return true; \
            case REOP_char32: case REOP_char32_i: \
                phasor_add_character(firsts, s, get_u32(code), operation == REOP_char32_i); \
                return true; \
            case REOP_range: case REOP_range_i: \
                phasor_add_ranges(firsts, s, code, 2, operation == REOP_range_i); \
                return true; \
            case REOP_range32: case REOP_range32_i: \
                phasor_add_ranges(firsts, s, code, 4, operation == REOP_range32_i); \
                return true; \
            case REOP_space: \
                for (uint32_t character = 0; character < 256; character++) firsts->has[character] |= lre_is_space(character); \
                firsts->has_others = true; \
                return true; \
            /* What looks ahead or back takes nothing: the match begins with what comes after it. */ \
            case REOP_lookahead: case REOP_negative_lookahead: \
                code += 4 + (int)get_u32(code); \
                break; \
            case REOP_line_start_m: case REOP_line_end: case REOP_line_end_m: \
            case REOP_word_boundary: case REOP_word_boundary_i: case REOP_not_word_boundary: case REOP_not_word_boundary_i: \
                break; \
            case REOP_save_end: case REOP_set_char_pos: \
                code += 1; \
                break; \
            case REOP_save_reset: \
                code += 2; \
                break; \
            case REOP_set_i32: \
                code += 5; \
                break; \
            default: \
                return false; \
            } \
        } \
        return false; \
    } \
    /* Whether a place is in the middle of a character. */ \
    static inline bool phasor_is_inside(const REExecContext *s, const uint8_t *at) { \
        return s->cbuf_type == 2 && s->cbuf < at && at < s->cbuf_end && \
               is_lo_surrogate(get_u16(at)) && is_hi_surrogate(get_u16(at - 2)); \
    } \
    /* The next place from `at` on where a match may begin, or the end. */ \
    static const uint8_t *phasor_next_place(const REExecContext *s, const PhasorFirsts *firsts, const uint8_t *at) { \
        if (firsts->is_only_at_begin) return s->cbuf_end; \
        if (s->cbuf_type == 0) { \
            while (at < s->cbuf_end && !firsts->has[*at]) at++; \
            return at; \
        } \
        for (; at < s->cbuf_end; at += 2) { \
            uint16_t unit = get_u16(at); \
            if ((unit < 256 ? firsts->has[unit] : firsts->has_others) && !phasor_is_inside(s, at)) break; \
        } \
        return at; \
    } \
    /* The last few are kept, with the code that they were worked out of. Nothing where it cannot be told. */ \
    static const PhasorFirsts *phasor_firsts_of(const REExecContext *s, const uint8_t *code) { \
        /* So many steps lead to the first characters at most. */ \
        enum { STEPS = 40 }; \
        typedef struct { \
            PhasorFirsts firsts; \
            bool is_known, is_unicode; \
            uint32_t length; \
            uint8_t code[1024]; \
        } Kept; \
        static _Thread_local Kept all[16]; \
        uint32_t length = get_u32(code - RE_HEADER_LEN + RE_HEADER_BYTECODE_LEN); \
        Kept *kept = &all[(uintptr_t)code / 64 % countof(all)]; \
        if (length > sizeof(kept->code)) return NULL; \
        if (kept->length != length || kept->is_unicode != s->is_unicode || memcmp(kept->code, code, length) != 0) { \
            kept->length = length; \
            kept->is_unicode = s->is_unicode; \
            memcpy(kept->code, code, length); \
            kept->firsts = (PhasorFirsts){ .is_only_at_begin = true, .steps = STEPS }; \
            kept->is_known = phasor_add_firsts(&kept->firsts, s, code + PHASOR_LOOP); \
        } \
        return kept->is_known ? &kept->firsts : NULL; \
    } \
    static intptr_t phasor_search(REExecContext *s, uint8_t **capture, const uint8_t *code, const uint8_t *at) { \
        /* So many places are tried without a question. */ \
        enum { PLAIN = 8 }; \
        if (*code != REOP_split_goto_first) return lre_exec_backtrack(s, capture, code, at); \
        const PhasorFirsts *firsts = NULL; \
        for (int tried = 0;; tried++, at += s->cbuf_type == 0 ? 1 : 2) { \
            if (tried == PLAIN) firsts = phasor_firsts_of(s, code); \
            if (firsts) { \
                /* Who goes far asks whether to stop, as who tries often does. */ \
                const uint8_t *from = at; \
                at = phasor_next_place(s, firsts, at); \
                s->interrupt_counter -= (at - from) / 64; \
            } else if (phasor_is_inside(s, at)) { \
                continue; \
            } \
            if (lre_poll_timeout(s)) return LRE_RET_TIMEOUT; \
            if (at > s->cbuf_end || (firsts && at == s->cbuf_end)) return 0; \
            if (tried > 0) memset(capture, 0, 2 * s->capture_count * sizeof(*capture)); \
            intptr_t found = lre_exec_backtrack(s, capture, code + PHASOR_LOOP, at); \
            if (found != 0) return found; \
        } \
    } \
    static intptr_t lre_exec_backtrack(__VA_ARGS__)

// ---- Splitting by an expression

// An expression that is as the language made it is asked for the next match, where the engine asks a sticky copy at every place.
#define js_regexp_Symbol_split(...) \
    engine_regexp_Symbol_split(__VA_ARGS__); \
    static JSValue js_get_this(JSContext *, JSValueConst); \
    static bool phasor_is_plain_expression(JSContext *ctx, JSValueConst value) { \
        JSProperty *property; \
        JSObject *expression = JS_VALUE_GET_OBJ(value), *proto = JS_VALUE_GET_OBJ(ctx->class_proto[JS_CLASS_REGEXP]); \
        /* It has nothing of its own but `lastIndex`. */ \
        if (expression->shape->proto != proto || expression->shape->prop_count != 1) return false; \
        /* The getters of all flags are the language's, and at the places where it put them. */ \
        static const int masks[] = { LRE_FLAG_GLOBAL, LRE_FLAG_IGNORECASE, LRE_FLAG_MULTILINE, LRE_FLAG_DOTALL, LRE_FLAG_UNICODE, \
                                     LRE_FLAG_UNICODE_SETS, LRE_FLAG_STICKY, LRE_FLAG_INDICES }; \
        const JSShapeProperty *own = get_shape_prop(proto->shape); \
        size_t seen = 0; \
        for (int at = 0; at < proto->shape->prop_count && seen < countof(masks); at++) { \
            const JSObject *getter = (own[at].flags & JS_PROP_TMASK) == JS_PROP_GETSET ? proto->prop[at].u.getset.getter : NULL; \
            bool is_flag = getter && getter->class_id == JS_CLASS_C_FUNCTION && \
                           getter->u.cfunc.c_function.getter_magic == js_regexp_get_flag && getter->u.cfunc.magic == masks[seen]; \
            if (is_flag) seen++; \
            else if (seen > 0) return false; \
        } \
        if (seen < countof(masks)) return false; \
        const JSObject *all = phasor_native_in(proto, JS_ATOM_flags, JS_PROP_GETSET), *exec = phasor_native_in(proto, JS_ATOM_exec, JS_PROP_NORMAL); \
        if (!all || all->u.cfunc.c_function.getter != js_regexp_get_flags) return false; \
        if (!exec || exec->u.cfunc.c_function.generic != js_regexp_exec) return false; \
        JSObject *class = JS_VALUE_GET_OBJ(ctx->regexp_ctor); \
        const JSObject *species = phasor_native_in(class, JS_ATOM_Symbol_species, JS_PROP_GETSET); \
        if (!species || species->u.cfunc.c_function.getter != js_get_this) return false; \
        const JSShapeProperty *found = find_own_property(&property, proto, JS_ATOM_constructor); \
        return found && !(found->flags & JS_PROP_TMASK) && JS_IsObject(property->u.value) && \
               JS_VALUE_GET_OBJ(property->u.value) == class; \
    } \
    static bool phasor_add_part(JSContext *ctx, JSValue parts, uint32_t *count, JSString *text, const uint8_t *from, const uint8_t *to) { \
        const uint8_t *begin = str8(text); \
        int shift = text->is_wide_char; \
        JSValue part = from && to ? js_sub_string(ctx, text, (from - begin) >> shift, (to - begin) >> shift) : JS_UNDEFINED; \
        return !JS_IsException(part) && \
               JS_DefinePropertyValueUint32(ctx, parts, (*count)++, part, JS_PROP_C_W_E | JS_PROP_THROW) >= 0; \
    } \
    static bool phasor_add_parts(JSContext *ctx, JSValue parts, JSValueConst value, const JSRegExp *expression, uint32_t limit, \
                                 uint8_t **capture) { \
        JSString *text = JS_VALUE_GET_STRING(value); \
        const uint8_t *code = str8(expression->bytecode), *begin = str8(text); \
        bool is_unicode = lre_get_flags(code) & (LRE_FLAG_UNICODE | LRE_FLAG_UNICODE_SETS); \
        int shift = text->is_wide_char, length = text->len, captures = lre_get_capture_count(code); \
        const uint8_t *end = begin + (length << shift), *part = begin; \
        uint32_t count = 0; \
        for (int from = 0; from < length || length == 0; ) { \
            if (js_poll_interrupts(ctx)) return false; \
            int found = (lre_exec)(capture, code, begin, from, length, shift, ctx); \
            if (found < 0) { \
                if (found == LRE_RET_TIMEOUT) JS_ThrowInterrupted(ctx); \
                else JS_ThrowInternalError(ctx, "out of memory in regexp execution"); \
                return false; \
            } \
            bool is_told = found > 0 && (length == 0 || capture[0] < end); \
            if (is_told) phasor_matched(ctx, value, capture, captures, begin, shift); \
            /* An empty text is no part where it matches. */ \
            if (is_told && length == 0) return true; \
            if (!is_told) break; \
            if (capture[1] == part) { \
                from = string_advance_index(text, (capture[0] - begin) >> shift, is_unicode); \
                continue; \
            } \
            if (!phasor_add_part(ctx, parts, &count, text, part, capture[0])) return false; \
            for (int at = 1; at < captures && count < limit; at++) { \
                if (!phasor_add_part(ctx, parts, &count, text, capture[2 * at], capture[2 * at + 1])) return false; \
            } \
            if (count >= limit) return true; \
            part = capture[1]; \
            from = (part - begin) >> shift; \
        } \
        return phasor_add_part(ctx, parts, &count, text, part, end); \
    } \
    static JSValue js_regexp_Symbol_split(__VA_ARGS__) { \
        const JSRegExp *expression = js_get_regexp(ctx, this_val, false); \
        bool is_limited = argc > 1 && !JS_IsUndefined(argv[1]); \
        bool is_countable = !is_limited || (JS_VALUE_GET_TAG(argv[1]) == JS_TAG_INT && JS_VALUE_GET_INT(argv[1]) > 0); \
        if (!expression || !JS_IsString(argv[0]) || !is_countable || !phasor_is_plain_expression(ctx, this_val) || \
            (lre_get_flags(str8(expression->bytecode)) & LRE_FLAG_STICKY)) \
            return engine_regexp_Symbol_split(ctx, this_val, argc, argv); \
        JSValue text = JS_ToString(ctx, argv[0]), parts = JS_IsException(text) ? JS_EXCEPTION : JS_NewArray(ctx); \
        size_t captured = lre_get_alloc_count(str8(expression->bytecode)) * sizeof(uint8_t *); \
        uint8_t **capture = JS_IsException(parts) ? NULL : js_malloc(ctx, captured); \
        uint32_t limit = is_limited ? JS_VALUE_GET_INT(argv[1]) : UINT32_MAX; \
        if (!capture || !phasor_add_parts(ctx, parts, text, expression, limit, capture)) { \
            JS_FreeValue(ctx, parts); \
            parts = JS_EXCEPTION; \
        } \
        js_free(ctx, capture); \
        JS_FreeValue(ctx, text); \
        return parts; \
    } \
    static JSValue engine_regexp_Symbol_split(__VA_ARGS__)

// ---- Arrays put together

// All elements of an array at once, where each has its place and nobody is asked.
#define js_get_length64(ctx, to, object) \
    PHASOR_JOIN(PHASOR_LENGTH_OF_, PHASOR_SECOND(PHASOR_LENGTH_IS_##object, OTHER, ))(ctx, to, object)
#define PHASOR_LENGTH_IS_e , ELEMENTS,
#define PHASOR_LENGTH_OF_OTHER(...) js_get_length64(__VA_ARGS__)
#define PHASOR_LENGTH_OF_ELEMENTS(ctx, to, object) (js_get_length64(ctx, to, object) || phasor_append(ctx, arr, object, &n, to))

#define JS_isConcatSpreadable(ctx, ...) PHASOR_JOIN(PHASOR_SPREAD_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_SPREAD_CALL(...) JS_isConcatSpreadable(__VA_ARGS__)
#define PHASOR_SPREAD_DEFINITION(...) \
    JS_isConcatSpreadable(__VA_ARGS__); \
    static int phasor_append(JSContext *ctx, JSValue to, JSValueConst from, int64_t *length, int64_t *left) { \
        JSValue *values, *others; \
        uint32_t count, used; \
        if (!js_get_fast_array(ctx, to, &others, &used) || !js_get_fast_array(ctx, from, &values, &count)) return 0; \
        JSObject *array = JS_VALUE_GET_OBJ(to); \
        int64_t end = *length + count; \
        if (values == others || used != *length || count != *left || end > INT32_MAX || !phasor_is_plain_array(ctx, array)) return 0; \
        if (end > array->u.array.u1.size && expand_fast_array(ctx, array, end)) return -1; \
        for (uint32_t at = 0; at < count; at++) array->u.array.u.values[used + at] = js_dup(values[at]); \
        array->u.array.count = end; \
        array->prop[0].u.value = js_int32(end); \
        PHASOR_TOOK(ctx, count); \
        *length = end; \
        *left = 0; \
        return 0; \
    } \
    static int JS_isConcatSpreadable(__VA_ARGS__)
