// Fixes of QuickJS's builtin functions of arrays, strings and functions, where they deviate from ECMA-262 or run too long without
// calling the interrupt handler. Part of `phasor_engine.h`, which says how calls are rewritten.

// A string has as many characters as V8's at most. The engine's own definition comes later: this one takes its place from the
// first function on that asks for it.
#define JS_STRING_LEN_MAX ((1 << 29) - 24)
#pragma push_macro("JS_STRING_LEN_MAX")
#undef JS_STRING_LEN_MAX
#define string_buffer_init2(ctx, ...) PHASOR_JOIN(PHASOR_BUFFER_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_BUFFER_CALL(...) string_buffer_init2(__VA_ARGS__)
#define PHASOR_BUFFER_DEFINITION(...) \
    string_buffer_init2(__VA_ARGS__); \
    _Pragma("pop_macro(\"JS_STRING_LEN_MAX\")") \
    static int string_buffer_init2(__VA_ARGS__)

// Strings that would be too long together are a RangeError, as one that would be so by itself is in the engine.
#define JS_ThrowInternalError(ctx, ...) PHASOR_JOIN(PHASOR_INTERNAL_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_INTERNAL_CALL(ctx, ...) \
    (PHASOR_IS_IN("js_new_string_rope") ? JS_ThrowRangeError(ctx, "invalid string length") : JS_ThrowInternalError(ctx, __VA_ARGS__))
#define PHASOR_INTERNAL_DEFINITION(ctx, ...) JS_ThrowInternalError(ctx, __VA_ARGS__)

#define JS_ThrowOutOfMemory(ctx) PHASOR_JOIN(PHASOR_MEMORY_, PHASOR_KIND(ctx))(ctx)
#define PHASOR_MEMORY_CALL(ctx) \
    (PHASOR_IS_IN("js_string_concat") ? JS_ThrowRangeError(ctx, "invalid string length") : JS_ThrowOutOfMemory(ctx))
#define PHASOR_MEMORY_DEFINITION(ctx) JS_ThrowOutOfMemory(ctx)

#define js_alloc_string(ctx, ...) PHASOR_JOIN(PHASOR_ALLOC_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_ALLOC_CALL(ctx, length, is_wide) \
    ({ int64_t wanted = (length); \
       bool is_too_long = PHASOR_IS_IN("js_string_concat") && unlikely(wanted > JS_STRING_LEN_MAX); \
       if (is_too_long) JS_ThrowRangeError(ctx, "invalid string length"); \
       is_too_long ? NULL : js_alloc_string(ctx, wanted, is_wide); })
#define PHASOR_ALLOC_DEFINITION(...) js_alloc_string(__VA_ARGS__)

// What is replaced in a text that is too long by now is not looked for.
#define js_string___GetSubstitution(ctx, ...) PHASOR_JOIN(PHASOR_SUBSTITUTE_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_SUBSTITUTE_CALL(...) (b->error_status ? JS_EXCEPTION : js_string___GetSubstitution(__VA_ARGS__))
#define PHASOR_SUBSTITUTE_DEFINITION(...) js_string___GetSubstitution(__VA_ARGS__)

// A string that is repeated more often than there are characters is too long, or empty; the engine says that nobody could count so far.
#define js_string_repeat(...) \
    engine_string_repeat(__VA_ARGS__); \
    /* Twice as much each time. */ \
    static JSValue phasor_repeat(JSContext *ctx, JSString *text, int count) { \
        size_t size = (size_t)text->len << text->is_wide_char, all = size * count; \
        JSString *made = js_alloc_string(ctx, text->len * count, text->is_wide_char); \
        if (!made) return JS_EXCEPTION; \
        PHASOR_TOOK(ctx, all); \
        memcpy(str8(made), str8(text), size); \
        for (size_t done = size; done < all; done *= 2) memcpy(str8(made) + done, str8(made), done < all - done ? done : all - done); \
        if (!text->is_wide_char) str8(made)[all] = 0; \
        return JS_MKPTR(JS_TAG_STRING, made); \
    } \
    static JSValue js_string_repeat(__VA_ARGS__) { \
        if (JS_VALUE_GET_TAG(this_val) == JS_TAG_STRING && JS_VALUE_GET_TAG(argv[0]) == JS_TAG_INT) { \
            JSString *text = JS_VALUE_GET_STRING(this_val); \
            int64_t times = JS_VALUE_GET_INT(argv[0]); \
            if (text->len > 1 && times > 1 && times * text->len <= JS_STRING_LEN_MAX) return phasor_repeat(ctx, text, times); \
        } \
        double count = JS_TAG_IS_FLOAT64(JS_VALUE_GET_TAG(argv[0])) ? JS_VALUE_GET_FLOAT64(argv[0]) : 0; \
        bool is_many = count > INT32_MAX && isfinite(count); \
        JSValueConst most[] = { js_int32(INT32_MAX) }; \
        return engine_string_repeat(ctx, this_val, argc, is_many ? most : argv); \
    } \
    static JSValue engine_string_repeat(__VA_ARGS__)

// What `anchor` and its like are given is a text whatever it is: none is "undefined".
#define JS_ToStringCheckObject(ctx, value) \
    PHASOR_JOIN(PHASOR_CHECKED_, PHASOR_SECOND(PHASOR_CHECKED_IS_##value, CALL, ))(ctx, value)
#define PHASOR_CHECKED_IS_argv , ARGUMENT,
#define PHASOR_CHECKED_CALL(ctx, value) JS_ToStringCheckObject(ctx, value)
#define PHASOR_CHECKED_ARGUMENT(ctx, value) JS_ToString(ctx, value)

// As V8: an array that is an element of its own, at whatever depth, is an empty text there. Who is joined is marked from the first element on,
// when length and separator have been asked for, by a mark that the engine has for what it writes down as bytes: here that is modules alone.
static _Thread_local struct phasor_joined {
    // Null if it was made for this: then nobody else has it.
    void *object;
    _Bool has_begun, is_again;
} *phasor_joined __attribute__((unused));

// An array whose separators alone would be too long a text is not looked at.
#define js_array_join(...) \
    engine_array_join(__VA_ARGS__); \
    /* Of one that is joined already there is none, and no error either. */ \
    static JSValue phasor_joined_element(JSContext *ctx, JSValueConst value, uint32_t index) { \
        struct phasor_joined *own = phasor_joined; \
        JSObject *object = own->object; \
        if (unlikely(!own->has_begun && object)) { \
            own->is_again = object->tmp_mark; \
            object->tmp_mark = true; \
        } \
        own->has_begun = true; \
        return own->is_again || js_poll_interrupts(ctx) ? JS_EXCEPTION : JS_GetPropertyUint32(ctx, value, index); \
    } \
    static bool phasor_is_too_long(JSValueConst array, JSValueConst separator) { \
        if (!JS_IsObject(array) || JS_VALUE_GET_OBJ(array)->class_id != JS_CLASS_ARRAY) return false; \
        JSValue length = JS_VALUE_GET_OBJ(array)->prop[0].u.value; \
        bool is_int = JS_VALUE_GET_TAG(length) == JS_TAG_INT; \
        int64_t count = is_int ? JS_VALUE_GET_INT(length) : (int64_t)JS_VALUE_GET_FLOAT64(length), each = 0; \
        if (JS_IsUndefined(separator)) each = 1; \
        else if (JS_VALUE_GET_TAG(separator) == JS_TAG_STRING) each = JS_VALUE_GET_STRING(separator)->len; \
        return each > 0 && count - 1 > JS_STRING_LEN_MAX / each; \
    } \
    static JSValue js_array_join(__VA_ARGS__) { \
        if (phasor_is_too_long(this_val, toLocaleString || argc == 0 ? JS_UNDEFINED : argv[0])) \
            return JS_ThrowRangeError(ctx, "invalid string length"); \
        JSObject *object = JS_IsObject(this_val) ? JS_VALUE_GET_OBJ(this_val) : NULL; \
        struct phasor_joined own = { object, false, false }, *outer = phasor_joined; \
        phasor_joined = &own; \
        JSValue text = engine_array_join(ctx, this_val, argc, argv, toLocaleString); \
        phasor_joined = outer; \
        if (own.is_again) return JS_AtomToString(ctx, JS_ATOM_empty_string); \
        if (own.has_begun && object) object->tmp_mark = false; \
        return text; \
    } \
    static JSValue engine_array_join(__VA_ARGS__)

// Who goes through elements that are not there asks now and then whether to stop: an array may say that it has billions. So do who takes a
// string apart and who sorts without a function.
#define JS_GetPropertyUint32(ctx, ...) PHASOR_JOIN(PHASOR_ELEMENT_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_ELEMENT_CALL(ctx, ...) \
    (PHASOR_IS_IN("engine_array_join") ? phasor_joined_element(ctx, __VA_ARGS__) : JS_GetPropertyUint32(ctx, __VA_ARGS__))
#define PHASOR_ELEMENT_DEFINITION(...) JS_GetPropertyUint32(__VA_ARGS__)

#define JS_TryGetPropertyInt64(ctx, ...) PHASOR_JOIN(PHASOR_TRY_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_TRY_CALL(ctx, object, index, value) \
    (js_poll_interrupts(ctx) ? (*(value) = JS_UNDEFINED, -1) : JS_TryGetPropertyInt64(ctx, object, index, value))
#define PHASOR_TRY_DEFINITION(...) JS_TryGetPropertyInt64(__VA_ARGS__)

#define JS_CreateDataPropertyUint32(ctx, ...) PHASOR_JOIN(PHASOR_CREATE_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_CREATE_CALL(ctx, object, index, value, flags) \
    ({ JSValue created = (value); \
       bool is_over = PHASOR_IS_IN("js_string_split") && js_poll_interrupts(ctx); \
       if (is_over) JS_FreeValue(ctx, created); \
       is_over ? -1 : JS_CreateDataPropertyUint32(ctx, object, index, created, flags); })
#define PHASOR_CREATE_DEFINITION(...) JS_CreateDataPropertyUint32(__VA_ARGS__)

#define js_string_compare(left, right) PHASOR_JOIN(PHASOR_COMPARE_, PHASOR_SECOND(PHASOR_COMPARE_IS_##left, CALL, ))(left, right)
#define PHASOR_COMPARE_IS_ap , SORT,
#define PHASOR_COMPARE_CALL(...) js_string_compare(__VA_ARGS__)
#define PHASOR_COMPARE_SORT(...) (js_poll_interrupts(ctx) ? (psc->exception = 1, 0) : js_string_compare(__VA_ARGS__))

// What `sort` has sorted is what the array has then, whatever a function that compares has made of it meanwhile. The engine leaves what
// is at its place already; here that is asked once more.
#define rqsort(first, ...) PHASOR_JOIN(PHASOR_SORT_, PHASOR_SECOND(PHASOR_SORT_IS_##first, OTHER, ))(first, __VA_ARGS__)
#define PHASOR_SORT_IS_array , SLOTS,
#define PHASOR_SORT_OTHER(...) rqsort(__VA_ARGS__)
#define PHASOR_SORT_SLOTS(slots, count, size, compare, context) \
    ({ if ((context)->has_method && (count) < PHASOR_FEW) phasor_sort_few(slots, count, context); \
       else rqsort(slots, count, size, compare, context); \
       phasor_check_places(ctx, obj, slots, count); })
#define js_array_cmp_generic(...) \
    js_array_cmp_generic(__VA_ARGS__); \
    /* As V8 sorts what is no longer than this: a function that contradicts itself, as one that gives `a > b`, gives the same there. */ \
    enum { PHASOR_FEW = 64 }; \
    static void phasor_sort_few(ValueSlot *slots, size_t count, struct array_sort_context *context) { \
        if (count < 2) return; \
        /* How far they rise or fall from the first on. */ \
        bool is_falling = js_array_cmp_generic(&slots[1], &slots[0], context) < 0; \
        size_t sorted = 2; \
        while (sorted < count && !context->exception && \
               (js_array_cmp_generic(&slots[sorted], &slots[sorted - 1], context) < 0) == is_falling) sorted++; \
        for (size_t low = 0, high = sorted - 1; is_falling && low < high; low++, high--) { \
            ValueSlot slot = slots[low]; \
            slots[low] = slots[high]; \
            slots[high] = slot; \
        } \
        /* Each of the others goes to its place among those before it. */ \
        for (; sorted < count && !context->exception; sorted++) { \
            ValueSlot slot = slots[sorted]; \
            size_t left = 0, right = sorted; \
            while (left < right) { \
                size_t middle = left + (right - left) / 2; \
                if (js_array_cmp_generic(&slot, &slots[middle], context) < 0) right = middle; \
                else left = middle + 1; \
            } \
            memmove(&slots[left + 1], &slots[left], (sorted - left) * sizeof(slot)); \
            slots[left] = slot; \
        } \
    } \
    static void phasor_check_places(JSContext *ctx, JSValueConst array, ValueSlot *slots, size_t count) { \
        JSValue *values; \
        uint32_t length; \
        if (count < 2) return; \
        if (!js_get_fast_array(ctx, array, &values, &length)) length = 0; \
        for (size_t at = 0; at < count; at++) { \
            bool is_there = at < length && memcmp(&values[at], &slots[at].val, sizeof(JSValue)) == 0; \
            if (!is_there) slots[at].pos = -1; \
        } \
    } \
    static int js_array_cmp_generic(__VA_ARGS__)

// The same for typed arrays: a copy is sorted where a function compares.
#define js_typed_array_sort(ctx, ...) PHASOR_JOIN(PHASOR_TYPED_SORT_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_TYPED_SORT_CALL(...) engine_typed_array_sort(__VA_ARGS__)
#define PHASOR_TYPED_SORT_DEFINITION(...) \
    engine_typed_array_sort(__VA_ARGS__); \
    static JSValue js_typed_array_sort(__VA_ARGS__) { \
        JSObject *array = JS_IsObject(this_val) ? JS_VALUE_GET_OBJ(this_val) : NULL; \
        bool is_usual = array && is_typed_array(array->class_id) && !typed_array_is_oob(array) && !typed_array_is_immutable(array); \
        if (!is_usual || !JS_IsFunction(ctx, argv[0])) return engine_typed_array_sort(ctx, this_val, argc, argv); \
        uint32_t count = array->u.array.count; \
        JSValue copy = js_typed_array_constructor_ta(ctx, JS_UNDEFINED, this_val, array->class_id, count); \
        if (JS_IsException(copy)) return JS_EXCEPTION; \
        JSValue sorted = engine_typed_array_sort(ctx, copy, argc, argv); \
        if (!JS_IsException(sorted) && !typed_array_is_oob(array)) { \
            uint32_t left = min_uint32(count, array->u.array.count); \
            memcpy(array->u.array.u.ptr, JS_VALUE_GET_OBJ(copy)->u.array.u.ptr, (size_t)left << typed_array_size_log2(array->class_id)); \
        } \
        bool has_failed = JS_IsException(sorted); \
        JS_FreeValue(ctx, copy); \
        JS_FreeValue(ctx, sorted); \
        return has_failed ? JS_EXCEPTION : js_dup(this_val); \
    } \
    static JSValue engine_typed_array_sort(__VA_ARGS__)

// The name of a function that is bound again and again grows: what is long of it is shared, where the engine copies it each time.
#define JS_ConcatString3(ctx, ...) PHASOR_JOIN(PHASOR_CONCAT_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_CONCAT_CALL(ctx, before, text, after) \
    (PHASOR_IS_IN("js_function_bind") ? JS_ConcatString(ctx, JS_NewString(ctx, before), text) : JS_ConcatString3(ctx, before, text, after))
#define PHASOR_CONCAT_DEFINITION(...) \
    JS_ConcatString3(__VA_ARGS__); \
    static JSValue JS_ConcatString(JSContext *, JSValue, JSValue); \
    static JSValue JS_ConcatString3(__VA_ARGS__)

// As V8: no script runs for the text of a function, and what has no source of its own is told on one line; without a name if it is bound,
// or a proxy.
#define js_function_toString(...) \
    engine_function_text(__VA_ARGS__); \
    static void phasor_function_text(void *engine, const void *function, void *text) { \
        JSContext *ctx = engine; \
        JSObject *object = JS_VALUE_GET_OBJ(*(const JSValueConst *)function); \
        JSFunctionBytecode *code = js_class_has_bytecode(object->class_id) ? object->u.func.function_bytecode : NULL; \
        if (code && code->source) { \
            *(JSValue *)text = JS_NewStringLen(ctx, code->source, code->source_len); \
            return; \
        } \
        JSProperty *property; \
        const JSShapeProperty *found = find_own_property(&property, object, JS_ATOM_name); \
        bool is_plain = found && !(found->flags & JS_PROP_TMASK) && object->class_id != JS_CLASS_BOUND_FUNCTION; \
        JSValue name = is_plain && JS_IsString(property->u.value) ? js_dup(property->u.value) : js_empty_string(ctx->rt); \
        *(JSValue *)text = JS_ConcatString3(ctx, "function ", name, "() { [native code] }"); \
    } \
    static JSValue js_function_toString(__VA_ARGS__) { \
        JSValue text; \
        if (!JS_IsFunction(ctx, this_val)) return engine_function_text(ctx, this_val, argc, argv); \
        phasor_function_text(ctx, &this_val, &text); \
        return text; \
    } \
    static JSValue engine_function_text(__VA_ARGS__)

// A call has as many arguments as would fit V8's stack, where the engine counts them in 16 bits.
#define build_arg_list(ctx, ...) PHASOR_JOIN(PHASOR_ARGUMENTS_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_ARGUMENTS_CALL(...) phasor_arguments(__VA_ARGS__)
#define PHASOR_ARGUMENTS_DEFINITION(...) \
    phasor_arguments(__VA_ARGS__); \
    static __attribute__((unused)) JSValue *build_arg_list(__VA_ARGS__)
#define js_function_bind(...) \
    js_function_bind(__VA_ARGS__); \
    static JSValue *phasor_arguments(JSContext *ctx, uint32_t *count, JSValueConst list) { \
        enum { kMost = 125000 }; \
        uint32_t length; \
        if (!JS_IsObject(list)) { \
            JS_ThrowTypeError(ctx, "CreateListFromArrayLike called on non-object"); \
            return NULL; \
        } \
        if (js_get_length32(ctx, &length, list)) return NULL; \
        if (length > kMost) { \
            JS_ThrowStackOverflow(ctx); \
            return NULL; \
        } \
        JSValue *given = js_mallocz(ctx, sizeof(JSValue) * max_uint32(1, length)); \
        if (!given) return NULL; \
        JSObject *array = JS_VALUE_GET_OBJ(list); \
        bool is_listed = array->class_id == JS_CLASS_ARRAY || array->class_id == JS_CLASS_ARGUMENTS; \
        bool is_fast = is_listed && array->fast_array && length == array->u.array.count; \
        for (uint32_t at = 0; at < length; at++) { \
            given[at] = is_fast ? js_dup(array->u.array.u.values[at]) : JS_GetPropertyUint32(ctx, list, at); \
            if (JS_IsException(given[at])) { \
                free_arg_list(ctx, given, at); \
                return NULL; \
            } \
        } \
        *count = length; \
        return given; \
    } \
    static JSValue js_function_bind(__VA_ARGS__)

// As V8: a chain of prototypes that proxies make ends somewhere. The trap of a proxy may walk another chain, whose steps are its own.
static _Thread_local int phasor_prototypes __attribute__((unused));
#define JS_OrdinaryIsInstanceOf(ctx, ...) PHASOR_JOIN(PHASOR_ORDINARY_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_ORDINARY_CALL(...) PHASOR_WALK(int is_instance = JS_OrdinaryIsInstanceOf(__VA_ARGS__), is_instance)
#define PHASOR_WALK(call, result) \
    ({ int outer = phasor_prototypes; phasor_prototypes = 0; call; phasor_prototypes = outer; result; })
#define PHASOR_ORDINARY_DEFINITION(...) JS_OrdinaryIsInstanceOf(__VA_ARGS__)

#define js_object_isPrototypeOf(...) \
    engine_is_prototype_of(__VA_ARGS__); \
    static JSValue js_object_isPrototypeOf(__VA_ARGS__) { \
        return PHASOR_WALK(JSValue answer = engine_is_prototype_of(ctx, this_val, argc, argv), answer); \
    } \
    static JSValue engine_is_prototype_of(__VA_ARGS__)

#define JS_GetPrototypeFree(ctx, ...) PHASOR_JOIN(PHASOR_PROTOTYPE_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_PROTOTYPE_CALL(ctx, object) \
    (PHASOR_IS_IN("JS_OrdinaryIsInstanceOf") || PHASOR_IS_IN("engine_is_prototype_of") ? phasor_next_prototype(ctx, object) \
                                                                                   : JS_GetPrototypeFree(ctx, object))
#define PHASOR_PROTOTYPE_DEFINITION(...) \
    JS_GetPrototypeFree(__VA_ARGS__); \
    static JSValue phasor_next_prototype(JSContext *ctx, JSValue object) { \
        enum { kMost = 100000 }; \
        if (phasor_prototypes++ < kMost) return JS_GetPrototypeFree(ctx, object); \
        JS_FreeValue(ctx, object); \
        return JS_ThrowStackOverflow(ctx); \
    } \
    static JSValue JS_GetPrototypeFree(__VA_ARGS__)

// As V8: `RegExp.$1` and its like tell of the last match of their realm. The text is kept by the class, as a property that nobody sees,
// and where things were in it by the thread, of the few realms that were the last to match. `RegExp.input` can be set, which the
// prototype keeps in the same way until the next match.
static _Thread_local struct {
    const void *realm;
    // Where the match and its first nine groups begin and end, and the same of the last group; negative where one took no part.
    int places[20], last[2];
    _Bool is_input_set;
} phasor_matches[8] __attribute__((unused));
static _Thread_local unsigned phasor_match_of __attribute__((unused));
#define phasor_match phasor_matches[phasor_match_of]
static int (*phasor_add_matches)(void *ctx, const void *class) __attribute__((unused));

#define lre_exec(found, ...) PHASOR_JOIN(PHASOR_EXEC_, PHASOR_KIND(found))(found, __VA_ARGS__)
#define PHASOR_EXEC_CALL(found, code, start, ...) \
    ({ int outcome = lre_exec(found, code, start, __VA_ARGS__); \
       if (outcome == 1) phasor_matched(ctx, str_val, found, lre_get_capture_count(code), start, shift); \
       outcome; })
#define PHASOR_EXEC_DEFINITION(...) lre_exec(__VA_ARGS__)

#define JS_SetPropertyFunctionList(ctx, ...) PHASOR_JOIN(PHASOR_LIST_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_LIST_CALL(ctx, object, list, count) \
    ({ JSValueConst listed = (object); \
       int failed = JS_SetPropertyFunctionList(ctx, listed, list, count); \
       failed || __builtin_strcmp(#list, "js_regexp_funcs") ? failed : phasor_add_matches(ctx, &listed); })
#define PHASOR_LIST_DEFINITION(...) JS_SetPropertyFunctionList(__VA_ARGS__)

#define js_get_regexp(ctx, ...) PHASOR_JOIN(PHASOR_REGEXP_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_REGEXP_CALL(...) js_get_regexp(__VA_ARGS__)
#define PHASOR_REGEXP_DEFINITION(...) \
    js_get_regexp(__VA_ARGS__); \
    static void phasor_hold(JSContext *ctx, JSValueConst holder, JSValueConst text) { \
        JSProperty *held; \
        if (find_own_property(&held, JS_VALUE_GET_OBJ(holder), JS_ATOM_Private_brand)) set_value(ctx, &held->u.value, js_dup(text)); \
        else if (JS_DefinePropertyValue(ctx, holder, JS_ATOM_Private_brand, js_dup(text), JS_PROP_WRITABLE) < 0) \
            JS_FreeValue(ctx, JS_GetException(ctx)); \
    } \
    static void phasor_place(int place[2], uint8_t **found, const uint8_t *start, int shift) { \
        bool is_there = found[0] && found[1]; \
        place[0] = is_there ? (int)((found[0] - start) >> shift) : -1; \
        place[1] = is_there ? (int)((found[1] - start) >> shift) : -1; \
    } \
    /* Has the match be that of a realm, if one is known. */ \
    static bool phasor_find_match(JSContext *ctx) { \
        for (unsigned at = 0; phasor_match.realm != ctx && at < countof(phasor_matches); at++) \
            if (phasor_matches[at].realm == ctx) phasor_match_of = at; \
        return phasor_match.realm == ctx; \
    } \
    static void phasor_matched(JSContext *ctx, JSValueConst text, uint8_t **found, int count, const uint8_t *start, int shift) { \
        if (phasor_match.realm != ctx && !phasor_find_match(ctx)) phasor_match_of = (phasor_match_of + 1) % countof(phasor_matches); \
        phasor_match.realm = ctx; \
        phasor_match.is_input_set = false; \
        for (int group = 0; group < 10; group++) { \
            if (group < count) phasor_place(&phasor_match.places[2 * group], &found[2 * group], start, shift); \
            else phasor_match.places[2 * group] = -1; \
        } \
        if (count > 1) phasor_place(phasor_match.last, &found[2 * (count - 1)], start, shift); \
        else phasor_match.last[0] = -1; \
        phasor_hold(ctx, ctx->regexp_ctor, text); \
    } \
    enum { kInput = 10, kLastGroup, kBefore, kAfter }; \
    static JSValue phasor_get_match(JSContext *ctx, JSValueConst class, int which) { \
        bool is_known = phasor_find_match(ctx), is_set = which == kInput && is_known && phasor_match.is_input_set; \
        JSValueConst holder = is_set ? ctx->class_proto[JS_CLASS_REGEXP] : ctx->regexp_ctor; \
        JSProperty *held; \
        if (!is_known || !find_own_property(&held, JS_VALUE_GET_OBJ(holder), JS_ATOM_Private_brand)) \
            return js_empty_string(ctx->rt); \
        if (which == kInput) return js_dup(held->u.value); \
        JSString *text = JS_VALUE_GET_STRING(held->u.value); \
        const int *places = phasor_match.places, *place = which == kLastGroup ? phasor_match.last : &places[2 * (which % 10)]; \
        if (which == kBefore) return js_sub_string(ctx, text, 0, places[0]); \
        if (which == kAfter) return js_sub_string(ctx, text, places[1], text->len); \
        return place[0] < 0 ? js_empty_string(ctx->rt) : js_sub_string(ctx, text, place[0], place[1]); \
    } \
    static JSValue phasor_set_match(JSContext *ctx, JSValueConst class, JSValueConst value, int which) { \
        if (which != kInput) return JS_UNDEFINED; \
        JSValue text = JS_ToString(ctx, value); \
        if (JS_IsException(text)) return text; \
        phasor_hold(ctx, ctx->class_proto[JS_CLASS_REGEXP], text); \
        JS_FreeValue(ctx, text); \
        if (!phasor_find_match(ctx)) { \
            /* Before the first match there was one of nothing. */ \
            JSValue empty = js_empty_string(ctx->rt); \
            uint8_t *begin = str8(JS_VALUE_GET_STRING(empty)), *nothing[] = { begin, begin }; \
            phasor_matched(ctx, empty, nothing, 1, begin, 0); \
            JS_FreeValue(ctx, empty); \
        } \
        phasor_match.is_input_set = true; \
        return JS_UNDEFINED; \
    } \
    static int phasor_add_match_list(void *ctx, const void *class) { \
        static const JSCFunctionListEntry all[] = { \
            PHASOR_MATCH_PART("input", kInput), PHASOR_MATCH_PART("$_", kInput), PHASOR_MATCH_PART("lastMatch", 0), \
            PHASOR_MATCH_PART("$&", 0), PHASOR_MATCH_PART("lastParen", kLastGroup), PHASOR_MATCH_PART("$+", kLastGroup), \
            PHASOR_MATCH_PART("leftContext", kBefore), PHASOR_MATCH_PART("$`", kBefore), \
            PHASOR_MATCH_PART("rightContext", kAfter), PHASOR_MATCH_PART("$'", kAfter), PHASOR_MATCH_PART("$1", 1), \
            PHASOR_MATCH_PART("$2", 2), PHASOR_MATCH_PART("$3", 3), PHASOR_MATCH_PART("$4", 4), PHASOR_MATCH_PART("$5", 5), \
            PHASOR_MATCH_PART("$6", 6), PHASOR_MATCH_PART("$7", 7), PHASOR_MATCH_PART("$8", 8), PHASOR_MATCH_PART("$9", 9), \
        }; \
        return JS_SetPropertyFunctionList(ctx, *(const JSValueConst *)class, all, countof(all)); \
    } \
    static int (*phasor_add_matches)(void *, const void *) = phasor_add_match_list; \
    static JSRegExp *js_get_regexp(__VA_ARGS__)
#define PHASOR_MATCH_PART(name, which) JS_CGETSET_MAGIC_DEF(name, phasor_get_match, phasor_set_match, which)

// As V8: what `Promise.any` rejects with says so, and has a stack without frames.
#define js_aggregate_error_constructor(ctx, ...) PHASOR_JOIN(PHASOR_AGGREGATE_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_AGGREGATE_CALL(ctx, errors) phasor_all_rejected(ctx, errors)
#define PHASOR_AGGREGATE_DEFINITION(...) \
    js_aggregate_error_constructor(__VA_ARGS__); \
    static JSValue phasor_all_rejected(JSContext *ctx, JSValueConst errors) { \
        static const char words[] = "AggregateError: All promises were rejected"; \
        enum { kHow = JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE, kName = sizeof("AggregateError: ") - 1 }; \
        JSValue error = JS_NewObjectProtoClass(ctx, ctx->native_error_proto[JS_AGGREGATE_ERROR], JS_CLASS_ERROR); \
        if (JS_IsException(error)) return error; \
        (JS_DefinePropertyValue)(ctx, error, JS_ATOM_stack, JS_NewString(ctx, words), kHow); \
        (JS_DefinePropertyValue)(ctx, error, JS_ATOM_message, JS_NewString(ctx, words + kName), kHow); \
        (JS_DefinePropertyValue)(ctx, error, JS_ATOM_errors, js_dup(errors), kHow); \
        return error; \
    } \
    static __attribute__((unused)) JSValue js_aggregate_error_constructor(__VA_ARGS__)
