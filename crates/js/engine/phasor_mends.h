// Fixes of QuickJS where it deviates from ECMA-262, or where an operation has superlinear cost. Part of `phasor_engine.h`, which says
// how calls are rewritten. Other behaviour does not change.

// What leaves the body of `for await` by a throw goes on when the iterator's `return` has settled, where the engine calls that and does
// not wait. So the body is one of a `try`, whose `finally` is empty: who leaves otherwise has closed the iterator by itself.
#define js_parse_statement(s) PHASOR_JOIN(PHASOR_STATEMENT_, PHASOR_KIND(s))(s)
#define PHASOR_STATEMENT_CALL(s) phasor_parse_body(s)
#define PHASOR_STATEMENT_DEFINITION(parameter) \
    js_parse_statement(parameter); \
    /* From `iterator next catch_offset error`. What `return` throws or gives back is nobody's business then. */ \
    static void phasor_close_and_throw(JSParseState *s) { \
        emit_op(s, OP_nip_catch); \
        emit_op(s, OP_nip); \
        emit_op(s, OP_swap); \
        int failed = emit_goto(s, OP_catch, -1); \
        emit_op(s, OP_dup2); \
        emit_op(s, OP_drop); \
        emit_op(s, OP_get_field2); \
        emit_atom(s, JS_ATOM_return); \
        emit_op(s, OP_dup); \
        emit_op(s, OP_is_undefined_or_null); \
        int has_none = emit_goto(s, OP_if_true, -1); \
        emit_op(s, OP_call_method); \
        emit_u16(s, 0); \
        emit_op(s, OP_await); \
        int closed = emit_goto(s, OP_goto, -1); \
        emit_label(s, has_none); \
        emit_op(s, OP_drop); \
        emit_label(s, closed); \
        emit_op(s, OP_drop); \
        emit_op(s, OP_drop); \
        emit_op(s, OP_drop); \
        emit_op(s, OP_throw); \
        emit_label(s, failed); \
        emit_op(s, OP_drop); \
        emit_op(s, OP_drop); \
        emit_op(s, OP_throw); \
    } \
    static int phasor_parse_body(JSParseState *s) { \
        JSFunctionDef *function = s->cur_func; \
        BlockEnv *loop = function->top_break, body; \
        if (!loop || !loop->has_iterator || !loop->is_async_iterator) return (js_parse_statement)(s); \
        int thrown = new_label(s), left = new_label(s), end = new_label(s); \
        emit_goto(s, OP_catch, thrown); \
        push_break_entry(function, &body, JS_ATOM_NULL, -1, -1, 1); \
        body.label_finally = left; \
        if ((js_parse_statement)(s)) return -1; \
        pop_break_entry(function); \
        if (js_is_live_code(s)) { \
            emit_op(s, OP_drop); \
            emit_goto(s, OP_goto, end); \
        } \
        emit_label(s, thrown); \
        phasor_close_and_throw(s); \
        emit_label(s, left); \
        emit_op(s, OP_ret); \
        emit_label(s, end); \
        return 0; \
    } \
    static __exception int js_parse_statement(parameter)

// And if it was `next` that failed, `return` is not called, where the engine calls it. The place on the stack by which the engine knows a
// loop is marked for this. `next` is called right before its await, and that before what looks at its result.
//
// What else fails before the body is the variable that gets the value, as where `{ a }` gets none. The iterator is closed then, and its
// `return` waited for: the stack is left with the error in the place of the iterator and another mark, and the function awaits. Its
// handlers both throw, whatever comes; then the second mark is found, and the error is thrown on.
static _Thread_local _Bool phasor_is_awaited __attribute__((unused));
#define PHASOR_AWAITED (1LL << 32)
#define PHASOR_CLOSING (2LL << 32)
#define js_for_of_start(ctx, ...) PHASOR_JOIN(PHASOR_START_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_START_CALL(ctx, sp, is_async) \
    ({ int failed = PHASOR_WALKS(ctx, sp, is_async) ? 0 : js_for_of_start(ctx, sp, is_async); phasor_is_awaited = (is_async); failed; })
#define PHASOR_START_DEFINITION(...) js_for_of_start(__VA_ARGS__)

#define JS_NewCatchOffset(ctx, offset) PHASOR_JOIN(PHASOR_OFFSET_, PHASOR_KIND(ctx))(ctx, offset)
#define PHASOR_OFFSET_CALL(ctx, offset) \
    ({ JSValue marked = JS_NewCatchOffset(ctx, offset); \
       if ((offset) == 0 && phasor_is_awaited) marked.tag |= PHASOR_AWAITED; \
       marked; })
#define PHASOR_OFFSET_DEFINITION(ctx, offset) JS_NewCatchOffset(ctx, offset)

#define js_iterator_get_value_done(ctx, sp) PHASOR_JOIN(PHASOR_DONE_, PHASOR_KIND(ctx))(ctx, sp)
#define PHASOR_DONE_CALL(ctx, sp) \
    ({ int failed = js_iterator_get_value_done(ctx, sp); \
       if (failed) set_value(ctx, &(sp)[-4], JS_UNDEFINED); \
       failed; })
#define PHASOR_DONE_DEFINITION(ctx, sp) js_iterator_get_value_done(ctx, sp)

// Of these calls, the one where an error leaves a loop is that on what is on the stack, with the error pending.
#define JS_IteratorClose(ctx, ...) PHASOR_JOIN(PHASOR_CLOSE_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_CLOSE_CALL(ctx, iterator, is_pending) \
    PHASOR_JOIN(PHASOR_CLOSE_OF_, PHASOR_SECOND(PHASOR_IS_##iterator, CALL, ))(ctx, iterator, is_pending)
#define PHASOR_IS_sp , STACK,
#define PHASOR_CLOSE_OF_CALL(ctx, iterator, is_pending) JS_IteratorClose(ctx, iterator, is_pending)
#define PHASOR_CLOSE_OF_STACK(ctx, iterator, is_pending) PHASOR_JOIN(PHASOR_CLOSE_STACK_, is_pending)(ctx, iterator)
#define PHASOR_CLOSE_STACK_false(ctx, iterator) PHASOR_END_OF(ctx, iterator, 0)
#define PHASOR_CLOSE_STACK_0(ctx, iterator) PHASOR_END_OF(ctx, iterator, 0)
#define PHASOR_CLOSE_STACK_true(ctx, iterator) PHASOR_CLOSE_STACK_1(ctx, iterator)
#define PHASOR_CLOSE_STACK_1(ctx, iterator) \
    ({ if (val.tag & PHASOR_CLOSING) { \
           JS_Throw(ctx, iterator); \
           iterator = JS_UNDEFINED; \
       } else if (val.tag & PHASOR_AWAITED) { \
           int closed = JS_IsUndefined(iterator) || phasor_is_at_next(b, pc) ? 0 : phasor_close(ctx, sp); \
           if (closed > 0) { \
               sp += 3; \
               ret_val = js_int32(FUNC_RET_AWAIT); \
               goto done_generator; \
           } \
           if (closed < 0) while (sp > stack_buf) JS_FreeValue(ctx, *--sp); \
       } else if (!JS_IsUndefined(iterator)) { \
           PHASOR_END_OF(ctx, iterator, 1); \
       } })
#define PHASOR_CLOSE_DEFINITION(...) \
    JS_IteratorClose(__VA_ARGS__); \
    static bool phasor_is_at_next(const JSFunctionBytecode *b, const uint8_t *pc) { \
        const uint8_t *end = b->byte_code_buf + b->byte_code_len; \
        if (pc < end && *pc == OP_await) pc++; \
        return pc < end && *pc == OP_iterator_get_value_done; \
    } \
    /* Whether there is something to await; -1 if the program ends here. */ \
    static int phasor_close(JSContext *ctx, JSValue *sp) { \
        JSRuntime *rt = ctx->rt; \
        JSValue error = rt->current_exception, result; \
        rt->current_exception = JS_UNINITIALIZED; \
        result = JS_GetProperty(ctx, sp[-1], JS_ATOM_return); \
        bool is_there = !JS_IsException(result) && !JS_IsUndefined(result) && !JS_IsNull(result); \
        if (is_there) result = JS_CallFree(ctx, result, sp[-1], 0, NULL); \
        if (JS_IsException(result) && JS_IsUncatchableError(rt->current_exception)) { \
            JS_FreeValue(ctx, error); \
            return -1; \
        } \
        if (!is_there || JS_IsException(result)) { \
            JS_Throw(ctx, error); \
            return 0; \
        } \
        set_value(ctx, &sp[-1], error); \
        sp[0] = JS_UNDEFINED; \
        sp[1] = (JS_NewCatchOffset)(ctx, 0); \
        sp[1].tag |= PHASOR_CLOSING; \
        sp[2] = result; \
        return 1; \
    } \
    /* Whether a function awaits just that. */ \
    static bool phasor_is_closing(const JSStackFrame *frame) { \
        const JSValue *below = frame->cur_sp - 2; \
        return below >= frame->arg_buf && JS_VALUE_GET_TAG(*below) == JS_TAG_CATCH_OFFSET && (below->tag & PHASOR_CLOSING); \
    } \
    static int JS_IteratorClose(__VA_ARGS__)

#define js_async_generator_resolve_function_create(ctx, ...) PHASOR_JOIN(PHASOR_RESUMERS_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_RESUMERS_CALL(...) \
    ({ int failed = PHASOR_IS_PROMISE(promise) ? js_async_generator_resolve_function_create(__VA_ARGS__) \
                                               : phasor_create_resumer(ctx, s, resolving_funcs); \
       if (!failed && PHASOR_IN_AWAIT && phasor_is_closing(&s->func_state.frame)) { \
           ((JSCFunctionDataRecord *)JS_GetOpaque(resolving_funcs[0], JS_CLASS_C_FUNCTION_DATA))->magic |= 1; \
       } \
       failed; })
#define PHASOR_RESUMERS_DEFINITION(...) \
    js_async_generator_resolve_function_create(__VA_ARGS__); \
    /* Of a plain value there is nothing to be rejected. */ \
    static int phasor_create_resumer(JSContext *ctx, JSAsyncGeneratorData *s, JSValue *handlers) { \
        JSValue generator = JS_MKPTR(JS_TAG_OBJECT, s->generator); \
        handlers[0] = JS_NewCFunctionData(ctx, js_async_generator_resolve_function, 1, 0, 1, vc(&generator)); \
        handlers[1] = JS_UNDEFINED; \
        return JS_IsException(handlers[0]) ? -1 : 0; \
    } \
    static int js_async_generator_resolve_function_create(__VA_ARGS__)

// `{...'abc'}` has the characters of the string, which the engine leaves out.
#define JS_CopyDataProperties(ctx, ...) PHASOR_JOIN(PHASOR_COPY_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_COPY_CALL(...) phasor_copy_properties(__VA_ARGS__)
#define PHASOR_COPY_DEFINITION(...) \
    JS_CopyDataProperties(__VA_ARGS__); \
    PHASOR_WHOLES_BODY \
    static int phasor_copy_properties(JSContext *ctx, JSValue target, JSValue source, JSValue excluded, bool is_set) { \
        int copied = phasor_copy_whole(ctx, target, source, excluded, is_set); \
        if (copied) return copied < 0 ? -1 : 0; \
        JSValue object = JS_IsString(source) ? JS_ToObject(ctx, source) : js_dup(source); \
        int failed = JS_IsException(object) ? -1 : JS_CopyDataProperties(ctx, target, object, excluded, is_set); \
        JS_FreeValue(ctx, object); \
        return failed; \
    } \
    static __exception int JS_CopyDataProperties(__VA_ARGS__)

// Whether a property is there to be copied, and listed, is asked when it is its turn: a getter may have taken it away meanwhile. The engine
// asks so of proxies alone, for whose sake it lists all: by a variable of its own, which is changed here for the others as well.
static int gpn_flags __attribute__((unused));
#define JS_GetOwnPropertyNamesInternal(ctx, ...) PHASOR_JOIN(PHASOR_OWN_NAMES_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_OWN_NAMES_CALL(ctx, names, count, object, flags) \
    JS_GetOwnPropertyNamesInternal(ctx, names, count, object, PHASOR_IS_IN("JS_CopyDataProperties") ? (gpn_flags &= ~JS_GPN_ENUM_ONLY) : (flags))
#define PHASOR_OWN_NAMES_DEFINITION(...) JS_GetOwnPropertyNamesInternal(__VA_ARGS__)

// A key of a Map or a Set is found by the lowest bits of its hash, and the engine's are the same for all small numbers,
// and for most objects. The others decide as well from here on.
#define map_hash_key(ctx, key) PHASOR_JOIN(PHASOR_HASH_, PHASOR_KIND(ctx))(ctx, key)
#define PHASOR_HASH_CALL(ctx, key) phasor_spread(map_hash_key(ctx, key))
#define PHASOR_HASH_DEFINITION(ctx, key) map_hash_key(ctx, key)

__attribute__((unused)) static inline unsigned phasor_spread(unsigned hash) {
    hash = (hash ^ hash >> 16) * 0x7feb352du;
    hash = (hash ^ hash >> 15) * 0x846ca68bu;
    return hash ^ hash >> 16;
}

// An array stays one when its last element goes, where the engine makes a table of it for good. `splice` is how that comes.
#define JS_DeletePropertyInt64(ctx, ...) PHASOR_JOIN(PHASOR_DELETE_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_DELETE_CALL(ctx, object, index, flags) \
    ({ JSValue *values; \
       uint32_t count; \
       bool is_last = js_get_fast_array(ctx, object, &values, &count) && (index) + 1 == (int64_t)count; \
       if (is_last) { \
           JS_VALUE_GET_OBJ(object)->u.array.count = count - 1; \
           JS_FreeValue(ctx, values[count - 1]); \
       } \
       is_last ? true : JS_DeletePropertyInt64(ctx, object, index, flags); })
#define PHASOR_DELETE_DEFINITION(...) JS_DeletePropertyInt64(__VA_ARGS__)

// The elements behind those that `splice` and `unshift` take out or put in move at one go, where the engine counts each
// twice, and makes a table of an array that gets several. What is between is what the engine is about to write or delete; not so
// for `copyWithin`.
#define JS_CopySubArray(ctx, ...) PHASOR_JOIN(PHASOR_MOVE_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_MOVE_CALL(ctx, ...) \
    ({ int moved = __builtin_strcmp(__func__, "js_array_copyWithin") == 0 ? 0 : phasor_move(ctx, __VA_ARGS__); \
       moved == 0 ? JS_CopySubArray(ctx, __VA_ARGS__) : moved < 0 ? -1 : 0; })
#define PHASOR_MOVE_DEFINITION(...) \
    JS_CopySubArray(__VA_ARGS__); \
    /* Whether an array is as long as it says, and nobody would notice another element. */ \
    static bool phasor_is_plain_array(JSContext *ctx, JSObject *array) { \
        JSValue length = array->prop[0].u.value; \
        return array->extensible && ctx->std_array_prototype && \
            array->shape->proto == JS_VALUE_GET_OBJ(ctx->class_proto[JS_CLASS_ARRAY]) && \
            JS_VALUE_GET_TAG(length) == JS_TAG_INT && (uint32_t)JS_VALUE_GET_INT(length) == array->u.array.count && \
            (get_shape_prop(array->shape)->flags & JS_PROP_WRITABLE); \
    } \
    /* 1, or -1 if there is no memory; 0 where the engine has to look at each. */ \
    static int phasor_move(JSContext *ctx, JSValue array, int64_t to, int64_t from, int64_t count, int direction) { \
        JSValue *values; \
        uint32_t length; \
        if (!js_get_fast_array(ctx, array, &values, &length) || count == 0 || from + count != length) return 0; \
        JSObject *object = JS_VALUE_GET_OBJ(array); \
        int64_t end = to + count; \
        if (to < from) { \
            for (int64_t at = to; at < from; at++) set_value(ctx, &values[at], JS_UNDEFINED); \
            memmove(values + to, values + from, count * sizeof(*values)); \
            for (int64_t at = end; at < length; at++) values[at] = JS_UNDEFINED; \
            return 1; \
        } \
        if (!phasor_is_plain_array(ctx, object) || end > INT32_MAX) return 0; \
        if (end > object->u.array.u1.size && expand_fast_array(ctx, object, end)) return -1; \
        values = object->u.array.u.values; \
        memmove(values + to, values + from, count * sizeof(*values)); \
        for (int64_t at = from; at < to; at++) values[at] = JS_UNDEFINED; \
        object->u.array.count = end; \
        object->prop[0].u.value = js_int32(end); \
        return 1; \
    } \
    static int JS_CopySubArray(__VA_ARGS__)

// Where a string that grew out of many has to be balanced, what is balanced in it stays whole, where the engine takes all of
// them apart each time. It is balanced if it has as many characters as a Fibonacci number, which its depth counts: Boehm's rule.
#define js_rebalance_string_rope_rec(ctx, ...) PHASOR_JOIN(PHASOR_BALANCE_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_BALANCE_CALL(...) phasor_balance(__VA_ARGS__)
#define PHASOR_BALANCE_DEFINITION(...) \
    js_rebalance_string_rope_rec(__VA_ARGS__); \
    /* What a bucket has, before a rope. */ \
    static JSValue phasor_join(JSContext *ctx, JSValue *bucket, JSValue rope) { \
        JSValue before = *bucket; \
        *bucket = JS_NULL; \
        if (JS_IsNull(before)) return rope; \
        return JS_IsNull(rope) ? before : js_new_string_rope(ctx, before, rope); \
    } \
    static int phasor_balance(JSContext *ctx, JSValue *buckets, JSValueConst value) { \
        JSStringRope *rope = JS_VALUE_GET_TAG(value) == JS_TAG_STRING_ROPE ? JS_VALUE_GET_STRING_ROPE(value) : NULL; \
        bool is_whole = rope && rope->depth < ROPE_N_BUCKETS && rope->len >= rope_bucket_len[rope->depth]; \
        if (!is_whole) return (js_rebalance_string_rope_rec)(ctx, buckets, value); \
        JSValue all = JS_NULL; \
        int at = 0; \
        for (; rope_bucket_len[at + 1] <= rope->len && !JS_IsException(all); at++) all = phasor_join(ctx, &buckets[at], all); \
        if (!JS_IsException(all)) all = phasor_join(ctx, &all, js_dup(value)); \
        for (; !JS_IsException(all) && !JS_IsNull(buckets[at]); at++) all = phasor_join(ctx, &buckets[at], all); \
        if (JS_IsException(all)) return -1; \
        buckets[at] = all; \
        return 0; \
    } \
    static int js_rebalance_string_rope_rec(__VA_ARGS__)

// Whether a scope has a variable of some name is asked of the engine's table of a function's variables, once there is one;
// the engine looks at all of them, for each that is declared or used.
#define find_lexical_decl(ctx, ...) PHASOR_JOIN(PHASOR_LEXICAL_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_LEXICAL_CALL(ctx, fd, name, first, ...) \
    find_lexical_decl(ctx, fd, name, PHASOR_IS_NEW_NAME(fd, name) ? -1 : (first), __VA_ARGS__)
#define PHASOR_LEXICAL_DEFINITION(...) find_lexical_decl(__VA_ARGS__)

#define find_var_in_child_scope(ctx, ...) PHASOR_JOIN(PHASOR_CHILD_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_CHILD_CALL(ctx, fd, name, ...) \
    (PHASOR_IS_NEW_NAME(fd, name) ? -1 : find_var_in_child_scope(ctx, fd, name, __VA_ARGS__))
#define PHASOR_CHILD_DEFINITION(...) find_var_in_child_scope(__VA_ARGS__)

#define PHASOR_IS_NEW_NAME(fd, name) ((fd)->vars_htab && find_var_htab(fd, name) < 0)

// Who uses the only variable of a name looks for it from where it is.
#define resolve_scope_var(ctx, ...) PHASOR_JOIN(PHASOR_USE_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_USE_CALL(ctx, fd, name, scope, ...) \
    ({ int first = (fd)->scopes[scope].first, only = phasor_only_variable(ctx, fd, name, scope); \
       if (only >= 0) (fd)->scopes[scope].first = only; \
       int next = phasor_resolve_use(ctx, fd, name, scope, __VA_ARGS__); \
       if (only >= 0) (fd)->scopes[scope].first = first; \
       next; })
#define PHASOR_USE_DEFINITION(...) \
    resolve_scope_var(__VA_ARGS__); \
    /* The variable that a name stands for in a scope, if no other has it and none of the names is an object's; or -1. */ \
    static int phasor_only_variable(JSContext *ctx, JSFunctionDef *fd, JSAtom name, int scope) { \
        /* Parameters that are computed have a scope of their own, before that of the body. */ \
        int outermost = ARG_SCOPE_INDEX + (fd->has_parameter_expressions ? 1 : 0); \
        if (!fd->vars_htab || scope < outermost) return -1; \
        uint32_t mask = UINT32_MAX >> clz32(fd->var_count + fd->var_count / 5); \
        int only = -1; \
        for (uint32_t at = hash32(name), step = 1; fd->vars_htab[at & mask] != UINT32_MAX; at += step++) { \
            uint32_t index = fd->vars_htab[at & mask]; \
            if (fd->vars[index].var_name != name) continue; \
            if (only >= 0) return -1; \
            only = index; \
        } \
        bool is_seen = only >= 0 && fd->vars[only].scope_level >= outermost && \
            is_child_scope(ctx, fd, scope, fd->vars[only].scope_level) && find_var_htab(fd, JS_ATOM__with_) < 0; \
        return is_seen ? only : -1; \
    } \
    /* Who assigns to a constant before that has its value hears of that first: it is read before the engine refuses. */ \
    static int phasor_resolve_use(JSContext *ctx, JSFunctionDef *fd, JSAtom name, int scope, int op, DynBuf *code, uint8_t *text, \
                                  LabelSlot *label, int after) { \
        enum { kThrowBytes = 6 }; \
        size_t begin = code->size; \
        int next = resolve_scope_var(ctx, fd, name, scope, op, code, text, label, after); \
        bool is_refused = (op == OP_scope_put_var || op == OP_scope_make_ref) && code->size == begin + kThrowBytes && \
            code->buf[begin] == OP_throw_error && code->buf[begin + kThrowBytes - 1] == JS_THROW_VAR_RO; \
        if (!is_refused) return next; \
        JS_FreeAtom(ctx, get_u32(code->buf + begin + 1)); \
        code->size = begin; \
        resolve_scope_var(ctx, fd, name, scope, OP_scope_get_var, code, NULL, NULL, after); \
        dbuf_putc(code, OP_drop); \
        return resolve_scope_var(ctx, fd, name, scope, op, code, text, label, after); \
    } \
    static int resolve_scope_var(__VA_ARGS__)

// A local time is that of its own zone's clock. The engine asks what the clock was off by at the same figures in Greenwich, and is wrong
// for hours around each change. As the language has it: what comes twice is the first, and what is skipped goes by the clock before.
#define set_date_fields(fields, is_local) \
    PHASOR_JOIN(PHASOR_DATE_, PHASOR_SECOND(PHASOR_DATE_IS_##is_local, CALL, ))(fields, is_local)
#define PHASOR_DATE_IS_int , DEFINITION,
#define PHASOR_DATE_CALL(fields, is_local) phasor_date(fields, is_local)
#define PHASOR_DATE_DEFINITION(fields, is_local) \
    set_date_fields(fields, is_local); \
    static double phasor_date(double *figures, int is_of_zone) { \
        double local = set_date_fields(figures, 0); \
        if (!is_of_zone) return local; \
        if (isnan(local)) return set_date_fields(figures, 1); \
        /* Minutes to the west, at the first moment and at the last that clocks anywhere may show this. */ \
        int before = getTimezoneOffset(local - 14 * 3600000), after = getTimezoneOffset(local + 12 * 3600000), west = before; \
        bool is_later = before != after && getTimezoneOffset(local + before * 60000.0) != before && \
            getTimezoneOffset(local + after * 60000.0) == after; \
        if (is_later) west = after; \
        return time_clip(local + west * 60000.0); \
    } \
    static double set_date_fields(fields, is_local)

// A date that is set to what is no number has no time from then on; the engine says so, and keeps the one it had. As V8, which asks the
// first argument for its number before it looks at the time, and no other where there is no time but for the year's setters.
#define set_date_field(ctx, ...) PHASOR_JOIN(PHASOR_FIELD_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_FIELD_CALL(...) set_date_field(__VA_ARGS__)
#define PHASOR_FIELD_DEFINITION(...) \
    engine_set_date_field(__VA_ARGS__); \
    static JSValue set_date_field(JSContext *ctx, JSValueConst date, int count, JSValueConst *values, int magic) { \
        int first = magic >> 8 & 0x0F, last = magic >> 4 & 0x0F; \
        double before, number; \
        JSValue given[4]; \
        count = min_int(count, last - first); \
        if (JS_ThisTimeValue(ctx, &before, date)) return JS_EXCEPTION; \
        if (count > 0) { \
            if (JS_ToFloat64(ctx, &number, values[0])) return JS_EXCEPTION; \
            given[0] = js_float64(number); \
        } \
        for (int at = 1; at < count; at++) given[at] = values[at]; \
        if (JS_ThisTimeValue(ctx, &before, date)) return JS_EXCEPTION; \
        if (isnan(before) && first != 0) return js_float64(NAN); \
        JSValue time = engine_set_date_field(ctx, date, count, vc(given), magic); \
        bool is_none = JS_VALUE_GET_TAG(time) == JS_TAG_FLOAT64 && isnan(JS_VALUE_GET_FLOAT64(time)); \
        return is_none ? JS_SetThisTimeValue(ctx, date, NAN) : time; \
    } \
    static JSValue engine_set_date_field(__VA_ARGS__)

// `Date()` is the text of a date, which has more to say than the engine knows: a function has it, which the realm's `Date.prototype`
// keeps under a name that no program can say. What the program makes of `toString` does not matter.
#define get_date_string(ctx, ...) PHASOR_JOIN(PHASOR_TEXT_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_TEXT_CALL(ctx, date, ...) phasor_date_text(ctx, date)
#define PHASOR_TEXT_DEFINITION(...) \
    get_date_string(__VA_ARGS__); \
    /* In the realm that a class `Date` is of. */ \
    static int phasor_keep_date_text(void *ctx, const void *class, const void *text) { \
        JSContext *realm = JS_GetFunctionRealm(ctx, *(const JSValue *)class); \
        if (!realm) return -1; \
        JSValue prototype = realm->class_proto[JS_CLASS_DATE]; \
        return JS_DefinePropertyValue(ctx, prototype, JS_ATOM_Private_brand, js_dup(*(const JSValue *)text), 0); \
    } \
    static JSValue phasor_date_text(JSContext *ctx, JSValueConst date) { \
        JSValue text = JS_GetProperty(ctx, ctx->class_proto[JS_CLASS_DATE], JS_ATOM_Private_brand); \
        return JS_IsUndefined(text) ? (get_date_string)(ctx, date, 0, NULL, 0x13) : JS_CallFree(ctx, text, date, 0, NULL); \
    } \
    static JSValue get_date_string(__VA_ARGS__)

// What a proxy's `defineProperty` refuses throws in strict mode, also where the property is only set; the engine takes no notice there.
#define js_proxy_define_own_property(...) \
    engine_proxy_define(__VA_ARGS__); \
    static int js_proxy_define_own_property(__VA_ARGS__) { \
        int how = PHASOR_THROWS(ctx, flags) ? flags | JS_PROP_THROW : flags; \
        return engine_proxy_define(ctx, obj, prop, val, getter, setter, how); \
    } \
    static int engine_proxy_define(__VA_ARGS__)

#define JS_DefineProperty(ctx, ...) PHASOR_JOIN(PHASOR_REDEFINE_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_REDEFINE_CALL(ctx, ...) \
    JS_DefineProperty(ctx, __VA_ARGS__ | (PHASOR_IS_IN("JS_SetPropertyInternal2") ? PHASOR_STRICTNESS(flags) : 0))
#define PHASOR_STRICTNESS(how) ((int)(how) & (JS_PROP_THROW | JS_PROP_THROW_STRICT))
#define PHASOR_REDEFINE_DEFINITION(...) JS_DefineProperty(__VA_ARGS__)

// Outside of a class `-`, `/` and two marks of a kind are plain characters, also where classes are sets.
#define get_class_atom(state, strings, text, is_in_class) \
    PHASOR_JOIN(PHASOR_ATOM_, PHASOR_SECOND(PHASOR_ATOM_IS_##is_in_class, IN_CLASS, ))(state, strings, text, is_in_class)
#define PHASOR_ATOM_IS_false , OUTSIDE,
#define PHASOR_ATOM_IN_CLASS(...) get_class_atom(__VA_ARGS__)
#define PHASOR_ATOM_OUTSIDE(state, strings, text, is_in_class) \
    ({ bool has_sets = (state)->unicode_sets; \
       (state)->unicode_sets = has_sets && **(text) == '\\'; \
       int atom = get_class_atom(state, strings, text, is_in_class); \
       (state)->unicode_sets = has_sets; \
       atom; })

// Between the elements of an array there is a comma, also behind the first 32 and behind one that is left out.
#define js_parse_assign_expr(s) PHASOR_JOIN(PHASOR_ASSIGNED_, PHASOR_KIND(s))(s)
#define PHASOR_ASSIGNED_CALL(s) \
    (js_parse_assign_expr(s) || (PHASOR_IS_IN("js_parse_array_literal") && (s)->token.val != ',' && (s)->token.val != ']' && \
                                 js_parse_expect(s, ']')))
#define PHASOR_ASSIGNED_DEFINITION(...) js_parse_assign_expr(__VA_ARGS__)

// A key that is computed is the name of a property before the value is looked at: its `toString` is called first.
#define js_parse_property_name(s, ...) PHASOR_JOIN(PHASOR_KEY_, PHASOR_KIND(s))(s, __VA_ARGS__)
#define PHASOR_KEY_CALL(s, name, ...) \
    ({ int kind = js_parse_property_name(s, name, __VA_ARGS__); \
       if (PHASOR_IS_IN("js_parse_object_literal") && kind >= 0 && *(name) == JS_ATOM_NULL) emit_op(s, OP_to_propkey); \
       kind; })
#define PHASOR_KEY_DEFINITION(...) js_parse_property_name(__VA_ARGS__)

// The rest of the arguments does not count for a function's `length`, also where a pattern takes it apart, and no setter has one.
#define emit_op(s, op) PHASOR_JOIN(PHASOR_EMIT_, PHASOR_SECOND(PHASOR_EMIT_IS_##op, OTHER, ))(s, op)
#define PHASOR_EMIT_IS_OP_rest , REST,
#define PHASOR_EMIT_OTHER(...) emit_op(__VA_ARGS__)
#define PHASOR_EMIT_REST(s, op) \
    ({ if (func_type == JS_PARSE_FUNC_SETTER) { \
           js_parse_error(s, "Setter function argument must not be a rest parameter"); \
           goto fail; \
       } \
       has_opt_arg = true; \
       emit_op(s, op); })

// What is thrown into an async generator that goes through the values of an iterator without `throw` is thrown there. The language of
// today closes the iterator and has a `TypeError` instead; V8 does not do so yet.
#define js_async_from_sync_iterator_next(...) \
    engine_from_sync_next(__VA_ARGS__); \
    static JSValue js_async_from_sync_iterator_next(__VA_ARGS__) { \
        JSAsyncFromSyncIteratorData *from = JS_GetOpaque(this_val, JS_CLASS_ASYNC_FROM_SYNC_ITERATOR); \
        if (magic == GEN_MAGIC_THROW && from && argc > 0) { \
            JSValue method = JS_GetProperty(ctx, from->sync_iter, JS_ATOM_throw); \
            bool is_none = JS_IsUndefined(method) || JS_IsNull(method); \
            if (JS_IsException(method)) JS_FreeValue(ctx, JS_GetException(ctx)); \
            else JS_FreeValue(ctx, method); \
            if (is_none) return js_promise_resolve(ctx, ctx->promise_ctor, 1, argv, 1); \
        } \
        return engine_from_sync_next(ctx, this_val, argc, argv, magic); \
    } \
    static JSValue engine_from_sync_next(__VA_ARGS__)
