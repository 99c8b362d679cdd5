// Array iteration (`for-of`, destructuring, spread) without an iterator object, with the same result.
// Part of `phasor_engine.h`, which says how calls are rewritten.
//
// By ECMA-262, `for (x of array)`, `[a, b] = array` and `[...array]` get an iterator from the array and call its `next` for each value.
// While array iteration is not monkey-patched, the iterator cannot be observed, so none is created. The stack then has the current index in
// place of the iterator and the array in place of its `next`. An iterator is never a number, so the two cases can be distinguished.
//
// `yield*` starts like a loop but calls the iterator on the stack, so it still gets one.

#define PHASOR_WALKS(ctx, sp, is_async) (PHASOR_IS_IN("JS_CallInternal") && !(is_async) && phasor_begin_walk(ctx, sp))

#define js_for_of_next(ctx, ...) PHASOR_JOIN(PHASOR_NEXT_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_NEXT_CALL(ctx, sp, offset) \
    (JS_VALUE_GET_TAG((sp)[offset]) == JS_TAG_INT ? phasor_go_on(ctx, sp, (sp) + (offset)) : js_for_of_next(ctx, sp, offset))
#define PHASOR_NEXT_DEFINITION(...) \
    js_for_of_next(__VA_ARGS__); \
    static JSValue js_create_array_iterator(JSContext *, JSValueConst, int, JSValueConst *, int); \
    static JSValue js_array_iterator_next(JSContext *, JSValueConst, int, JSValueConst *, int *, int); \
    /* The native that an object has as a property of its own, as its value or its getter; null if that is anything else. */ \
    static const JSObject *phasor_native_in(JSObject *object, JSAtom name, int kind) { \
        JSProperty *property; \
        const JSShapeProperty *found = find_own_property(&property, object, name); \
        if (!found || (found->flags & JS_PROP_TMASK) != kind) return NULL; \
        const JSObject *native = kind == JS_PROP_GETSET ? property->u.getset.getter \
            : JS_IsObject(property->u.value) ? JS_VALUE_GET_OBJ(property->u.value) : NULL; \
        return native && native->class_id == JS_CLASS_C_FUNCTION ? native : NULL; \
    } \
    /* Whether a value is an array of this realm, whose iterator would give its elements and nothing else. */ \
    static bool phasor_is_walked_plainly(JSContext *ctx, JSValueConst value) { \
        if (!JS_IsObject(value)) return false; \
        const JSObject *array = JS_VALUE_GET_OBJ(value); \
        if (array->class_id != JS_CLASS_ARRAY || !array->fast_array || array->shape != ctx->array_shape) return false; \
        const JSObject *values = phasor_native_in(array->shape->proto, JS_ATOM_Symbol_iterator, JS_PROP_NORMAL); \
        if (!values || values->u.cfunc.c_function.generic_magic != js_create_array_iterator || \
            values->u.cfunc.magic != JS_ITERATOR_KIND_VALUE || values->u.cfunc.realm != ctx) return false; \
        const JSObject *next = phasor_native_in(JS_VALUE_GET_OBJ(ctx->class_proto[JS_CLASS_ARRAY_ITERATOR]), JS_ATOM_next, JS_PROP_NORMAL); \
        return next && next->u.cfunc.c_function.iterator_next == js_array_iterator_next; \
    } \
    /* Whether an iterator of an array would be told of the end of a walk. */ \
    static bool phasor_is_told(JSContext *ctx) { \
        JSProperty *property; \
        for (JSObject *at = JS_VALUE_GET_OBJ(ctx->class_proto[JS_CLASS_ARRAY_ITERATOR]); at; at = at->shape->proto) { \
            if (at->is_exotic || find_own_property(&property, at, JS_ATOM_return)) return true; \
        } \
        return false; \
    } \
    /* Begins a walk, if it is one over an array. */ \
    static bool phasor_begin_walk(JSContext *ctx, JSValue *sp) { \
        if (!phasor_is_walked_plainly(ctx, sp[-1]) || phasor_is_told(ctx)) return false; \
        const JSObject *function = JS_VALUE_GET_OBJ(ctx->rt->current_stack_frame->cur_func); \
        if (function->u.func.function_bytecode->func_kind & JS_FUNC_GENERATOR) return false; \
        sp[0] = sp[-1]; \
        sp[-1] = js_int32(0); \
        return true; \
    } \
    /* Puts the next value on the stack, and whether there is none. */ \
    static int phasor_go_on(JSContext *ctx, JSValue *sp, JSValue *walk) { \
        const JSObject *array = JS_VALUE_GET_OBJ(walk[1]); \
        uint32_t at = JS_VALUE_GET_INT(walk[0]), length; \
        if (likely(array->fast_array && at < array->u.array.count)) { \
            sp[0] = js_dup(array->u.array.u.values[at]); \
        } else { \
            JSValue value = JS_UNDEFINED; \
            int failed = js_get_length32(ctx, &length, walk[1]); \
            bool is_over = failed || at >= length; \
            if (!is_over) value = JS_GetPropertyInt64(ctx, walk[1], at); \
            failed = failed || JS_IsException(value); \
            if (is_over || failed) walk[0] = JS_UNDEFINED; \
            if (failed) return -1; \
            sp[0] = value; \
            sp[1] = js_bool(is_over); \
            if (is_over) return 0; \
        } \
        walk[0] = js_int32(at + 1); \
        sp[1] = JS_FALSE; \
        return 0; \
    } \
    /* Ends a walk before it is over. Who wants to hear of that since it began gets an iterator that has no more to give. */ \
    static int phasor_end_walk(JSContext *ctx, bool is_pending) { \
        if (likely(!phasor_is_told(ctx))) return is_pending ? -1 : 0; \
        JSValue array = JS_NewArray(ctx), over; \
        if (JS_IsException(array)) return -1; \
        over = js_create_array_iterator(ctx, array, 0, NULL, JS_ITERATOR_KIND_VALUE); \
        JS_FreeValue(ctx, array); \
        if (JS_IsException(over)) return -1; \
        int failed = (JS_IteratorClose)(ctx, over, is_pending); \
        JS_FreeValue(ctx, over); \
        return failed; \
    } \
    PHASOR_APPEND_BODY \
    static __exception int js_for_of_next(__VA_ARGS__)

#define PHASOR_END_OF(ctx, iterator, is_pending) \
    (JS_VALUE_GET_TAG(iterator) == JS_TAG_INT ? phasor_end_walk(ctx, is_pending) : JS_IteratorClose(ctx, iterator, is_pending))

#define js_append_enumerate(ctx, sp) PHASOR_JOIN(PHASOR_APPEND_, PHASOR_KIND(ctx))(ctx, sp)
#define PHASOR_APPEND_CALL(ctx, sp) (phasor_spread_array(ctx, sp) ? 0 : js_append_enumerate(ctx, sp))
#define PHASOR_APPEND_DEFINITION(ctx, sp) js_append_enumerate(ctx, sp)
#define PHASOR_APPEND_BODY \
    /* Appends all of an array to one that is being made, where there is memory for it. */ \
    static bool phasor_spread_array(JSContext *ctx, JSValue *sp) { \
        if (!phasor_is_walked_plainly(ctx, sp[-1]) || JS_VALUE_GET_TAG(sp[-2]) != JS_TAG_INT) return false; \
        JSObject *from = JS_VALUE_GET_OBJ(sp[-1]), *to = JS_VALUE_GET_OBJ(sp[-3]); \
        uint32_t count = from->u.array.count, at = JS_VALUE_GET_INT(sp[-2]); \
        JSValue length = from->prop[0].u.value; \
        bool is_whole = JS_VALUE_GET_TAG(length) == JS_TAG_INT && (uint32_t)JS_VALUE_GET_INT(length) == count; \
        if (!is_whole || to->shape != ctx->array_shape || !to->fast_array || to->u.array.count != at || count > INT32_MAX - at) return false; \
        if (at + count > to->u.array.u1.size && expand_fast_array(ctx, to, at + count) < 0) { \
            JS_FreeValue(ctx, JS_GetException(ctx)); \
            return false; \
        } \
        for (uint32_t i = 0; i < count; i++) to->u.array.u.values[at + i] = js_dup(from->u.array.u.values[i]); \
        to->u.array.count = at + count; \
        to->prop[0].u.value = sp[-2] = js_int32(at + count); \
        return true; \
    }
