// Faster `String.prototype.replace` and `match` with a regular expression, with the same result.
// Part of `phasor_engine.h`, which says how calls are rewritten.
//
// QuickJS creates an array for each match, reads its elements by name, and copies them to another array for the replacement. If the
// regular expression is not monkey-patched, all matches are found first, as ECMA-262 requires, and only their positions are stored.

#define js_regexp_Symbol_match(...) \
    engine_regexp_Symbol_match(__VA_ARGS__); \
    static bool phasor_is_plain_expression(JSContext *, JSValueConst); \
    /* Where each match and its groups begin and end; nothing where a group has no part in it. */ \
    typedef struct { \
        int count, captures, room; \
        int32_t *places; \
    } PhasorMatches; \
    enum { PHASOR_NOWHERE = -1 }; \
    /* The expression whose matches can be asked for at once, or null. */ \
    static const JSRegExp *phasor_all_at_once(JSContext *ctx, JSValueConst value, JSValueConst text) { \
        const JSRegExp *expression = js_get_regexp(ctx, value, false); \
        if (!expression || !JS_IsString(text) || !phasor_is_plain_expression(ctx, value)) return NULL; \
        const JSShapeProperty *last_index = get_shape_prop(JS_VALUE_GET_OBJ(value)->shape); \
        if (last_index->atom != JS_ATOM_lastIndex || !(last_index->flags & JS_PROP_WRITABLE)) return NULL; \
        /* One that is not global asks what is in there, though it does not use it: a script may hear of that. */ \
        int flags = lre_get_flags(str8(expression->bytecode)); \
        bool is_asked = !(flags & LRE_FLAG_GLOBAL) && JS_VALUE_GET_TAG(JS_VALUE_GET_OBJ(value)->prop[0].u.value) != JS_TAG_INT; \
        return is_asked || flags & LRE_FLAG_STICKY ? NULL : expression; \
    } \
    static bool phasor_add_match(JSContext *ctx, PhasorMatches *matches, uint8_t **capture, const uint8_t *begin, int shift) { \
        size_t used = (size_t)matches->count * 2 * matches->captures; \
        if (matches->count == matches->room) { \
            int room = matches->room * 2 + 8; \
            int32_t *places = js_realloc(ctx, matches->places, (size_t)room * 2 * matches->captures * sizeof(*places)); \
            if (!places) return false; \
            matches->places = places; \
            matches->room = room; \
        } \
        for (int at = 0; at < 2 * matches->captures; at++) { \
            bool has_part = capture[at & ~1] && capture[at | 1]; \
            matches->places[used + at] = has_part ? (capture[at] - begin) >> shift : PHASOR_NOWHERE; \
        } \
        matches->count++; \
        return true; \
    } \
    static bool phasor_find_all(JSContext *ctx, JSValueConst value, const JSRegExp *expression, JSValueConst whole, uint8_t **capture, \
                                PhasorMatches *matches) { \
        JSString *text = JS_VALUE_GET_STRING(whole); \
        const uint8_t *code = str8(expression->bytecode), *begin = str8(text); \
        int flags = lre_get_flags(code), shift = text->is_wide_char; \
        bool is_global = flags & LRE_FLAG_GLOBAL, is_unicode = flags & (LRE_FLAG_UNICODE | LRE_FLAG_UNICODE_SETS); \
        for (int64_t from = 0; from <= text->len; ) { \
            if (js_poll_interrupts(ctx)) return false; \
            int found = (lre_exec)(capture, code, begin, from, text->len, shift, ctx); \
            if (found < 0) { \
                if (found == LRE_RET_TIMEOUT) JS_ThrowInterrupted(ctx); \
                else JS_ThrowInternalError(ctx, "out of memory in regexp execution"); \
                return false; \
            } \
            if (found == 0) break; \
            if (!phasor_add_match(ctx, matches, capture, begin, shift)) return false; \
            from = (capture[1] - begin) >> shift; \
            if (capture[0] == capture[1]) from = string_advance_index(text, from, is_unicode); \
            if (!is_global) break; \
        } \
        if (is_global) set_value(ctx, &JS_VALUE_GET_OBJ(value)->prop[0].u.value, js_int32(0)); \
        if (matches->count > 0) { \
            const int32_t *last = matches->places + (size_t)(matches->count - 1) * 2 * matches->captures; \
            for (int at = 0; at < 2 * matches->captures; at++) { \
                capture[at] = last[at] < 0 ? NULL : (uint8_t *)begin + ((size_t)last[at] << shift); \
            } \
            phasor_matched(ctx, whole, capture, matches->captures, begin, shift); \
        } \
        return true; \
    } \
    /* All matches in a text, which is flat. The places are the caller's to give up. */ \
    static bool phasor_find_matches(JSContext *ctx, JSValueConst value, const JSRegExp *expression, JSValueConst whole, PhasorMatches *matches) { \
        const uint8_t *code = str8(expression->bytecode); \
        *matches = (PhasorMatches){ .captures = lre_get_capture_count(code) }; \
        uint8_t **capture = js_malloc(ctx, lre_get_alloc_count(code) * sizeof(*capture)); \
        bool is_done = capture && phasor_find_all(ctx, value, expression, whole, capture, matches); \
        js_free(ctx, capture); \
        return is_done; \
    } \
    static JSValue js_regexp_Symbol_match(__VA_ARGS__) { \
        const JSRegExp *expression = phasor_all_at_once(ctx, this_val, argv[0]); \
        if (!expression || !(lre_get_flags(str8(expression->bytecode)) & LRE_FLAG_GLOBAL)) \
            return engine_regexp_Symbol_match(ctx, this_val, argc, argv); \
        PhasorMatches matches = { 0 }; \
        JSValue whole = JS_ToString(ctx, argv[0]), all = JS_EXCEPTION; \
        if (!JS_IsException(whole) && phasor_find_matches(ctx, this_val, expression, whole, &matches)) { \
            all = matches.count == 0 ? JS_NULL : js_allocate_fast_array(ctx, matches.count); \
            for (int at = 0; JS_IsObject(all) && at < matches.count; at++) { \
                const int32_t *match = matches.places + (size_t)at * 2 * matches.captures; \
                JSValue part = js_sub_string(ctx, JS_VALUE_GET_STRING(whole), match[0], match[1]); \
                if (JS_IsException(part)) set_value(ctx, &all, JS_EXCEPTION); \
                else JS_VALUE_GET_OBJ(all)->u.array.u.values[at] = part; \
            } \
        } \
        js_free(ctx, matches.places); \
        JS_FreeValue(ctx, whole); \
        return all; \
    } \
    static JSValue engine_regexp_Symbol_match(__VA_ARGS__)

#define js_regexp_Symbol_replace(...) \
    engine_regexp_Symbol_replace(__VA_ARGS__); \
    /* The number of the group that a replacement names after a `$`, and by how many digits; none if there is no such group. */ \
    static int phasor_group_at(JSString *with, uint32_t at, int captures, uint32_t *digits) { \
        int group = 0; \
        *digits = 0; \
        for (uint32_t used = 1; used <= 2 && at + used <= with->len; used++) { \
            int digit = string_get(with, at + used - 1) - '0'; \
            if (digit < 0 || digit > 9) break; \
            int longer = group * 10 + digit; \
            if (longer > 0 && longer < captures) { \
                *digits = used; \
                group = longer; \
            } else if (longer > 0) { \
                break; \
            } \
        } \
        return *digits ? group : 0; \
    } \
    /* Adds a replacement, in which a `$` may stand for parts of the text. */ \
    static void phasor_add_replacement(StringBuffer *b, JSString *text, JSString *with, const int32_t *match, int captures) { \
        uint32_t plain = 0, digits; \
        for (int at = string_indexof_char(with, '$', 0); at >= 0 && (uint32_t)at + 1 < with->len; at = string_indexof_char(with, '$', plain)) { \
            string_buffer_concat(b, with, plain, at); \
            plain = at + 2; \
            switch (string_get(with, at + 1)) { \
            case '$': string_buffer_putc8(b, '$'); break; \
            case '&': string_buffer_concat(b, text, match[0], match[1]); break; \
            case '`': string_buffer_concat(b, text, 0, match[0]); break; \
            case '\'': string_buffer_concat(b, text, match[1], text->len); break; \
            default: { \
                int group = phasor_group_at(with, at + 1, captures, &digits); \
                if (group > 0 && match[2 * group] >= 0) string_buffer_concat(b, text, match[2 * group], match[2 * group + 1]); \
                if (group == 0) string_buffer_putc8(b, '$'); \
                plain = at + 1 + digits; \
            } \
            } \
        } \
        string_buffer_concat(b, with, plain, with->len); \
    } \
    /* Adds what a function makes of a match. False if it throws. */ \
    static bool phasor_add_replaced(JSContext *ctx, StringBuffer *b, JSValueConst whole, JSValueConst with, const int32_t *match, int captures) { \
        JSValue args[captures + 2], replaced = JS_UNDEFINED; \
        int made = 0; \
        for (; made < captures && !JS_IsException(replaced); made++) { \
            const int32_t *group = match + 2 * made; \
            args[made] = group[0] < 0 ? JS_UNDEFINED : js_sub_string(ctx, JS_VALUE_GET_STRING(whole), group[0], group[1]); \
            if (JS_IsException(args[made])) replaced = JS_EXCEPTION; \
        } \
        args[captures] = js_int32(match[0]); \
        args[captures + 1] = unsafe_unconst(whole); \
        if (!JS_IsException(replaced)) replaced = JS_ToStringFree(ctx, JS_Call(ctx, with, JS_UNDEFINED, captures + 2, vc(args))); \
        while (made-- > 0) JS_FreeValue(ctx, args[made]); \
        return !JS_IsException(replaced) && string_buffer_concat_value_free(b, replaced) == 0; \
    } \
    static JSValue phasor_replace(JSContext *ctx, JSValueConst whole, JSValueConst with, const PhasorMatches *matches) { \
        StringBuffer b_s, *b = &b_s; \
        JSString *text = JS_VALUE_GET_STRING(whole); \
        string_buffer_init(ctx, b, 0); \
        uint32_t from = 0; \
        for (int at = 0; at < matches->count; at++) { \
            const int32_t *match = matches->places + (size_t)at * 2 * matches->captures; \
            /* Nothing is called with an exception on its way. */ \
            bool is_added = string_buffer_concat(b, text, from, match[0]) == 0; \
            from = match[1]; \
            if (is_added && JS_IsString(with)) phasor_add_replacement(b, text, JS_VALUE_GET_STRING(with), match, matches->captures); \
            else if (is_added) is_added = phasor_add_replaced(ctx, b, whole, with, match, matches->captures); \
            if (!is_added) { \
                string_buffer_free(b); \
                return JS_EXCEPTION; \
            } \
        } \
        string_buffer_concat(b, text, from, text->len); \
        return string_buffer_end(b); \
    } \
    static JSValue js_regexp_Symbol_replace(__VA_ARGS__) { \
        const JSRegExp *expression = phasor_all_at_once(ctx, this_val, argv[0]); \
        bool is_text = JS_IsString(argv[1]); \
        if (!expression || !(is_text || JS_IsFunction(ctx, argv[1])) || lre_get_groupnames(str8(expression->bytecode))) \
            return engine_regexp_Symbol_replace(ctx, this_val, argc, argv); \
        PhasorMatches matches = { 0 }; \
        JSValue whole = JS_ToString(ctx, argv[0]), with = is_text ? JS_ToString(ctx, argv[1]) : js_dup(argv[1]), replaced = JS_EXCEPTION; \
        if (!JS_IsException(whole) && !JS_IsException(with) && phasor_find_matches(ctx, this_val, expression, whole, &matches)) { \
            replaced = matches.count == 0 ? js_dup(whole) : phasor_replace(ctx, whole, with, &matches); \
        } \
        js_free(ctx, matches.places); \
        JS_FreeValue(ctx, with); \
        JS_FreeValue(ctx, whole); \
        return replaced; \
    } \
    static JSValue engine_regexp_Symbol_replace(__VA_ARGS__)
