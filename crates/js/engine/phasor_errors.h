// Hooks that report errors, for stack traces and messages in V8's format. Part of `phasor_engine.h`, which says how calls are
// rewritten. The Rust side is `crates/js/src/errors.rs`, and `crates/js/src/eval_sources.rs` for code compiled by `eval`.

void phasor_regards(const void *left, const void *right);
const char *phasor_evaluates(const char **text, __SIZE_TYPE__ *length, int *line);

// The functions that wait for the one that a job runs in, or for the promise of a settler: `phasor_async_sites` puts their call sites
// behind those of a new error. As V8: a promise leads to who waits for it only if nobody else does. Nothing is kept for it, so only
// who throws pays.
#define PHASOR_SITES_BODY \
    static JSValueConst phasor_promise_of(JSValueConst settler) { \
        JSPromiseFunctionData *settles = JS_GetOpaque(settler, JS_CLASS_PROMISE_RESOLVE_FUNCTION); \
        if (!settles) settles = JS_GetOpaque(settler, JS_CLASS_PROMISE_REJECT_FUNCTION); \
        return settles ? settles->promise : JS_UNDEFINED; \
    } \
    /* The frame that goes on by a handler, if one does, and the promise that tells of its end. */ \
    static JSStackFrame *phasor_waiting(JSValueConst handler, JSValueConst *end) { \
        JSAsyncFunctionData *function = JS_GetOpaque(handler, JS_CLASS_ASYNC_FUNCTION_RESOLVE); \
        if (!function) function = JS_GetOpaque(handler, JS_CLASS_ASYNC_FUNCTION_REJECT); \
        if (function) { \
            *end = phasor_promise_of(function->resolving_funcs[0]); \
            return function->is_active ? &function->func_state.frame : NULL; \
        } \
        JSCFunctionDataRecord *record = JS_GetOpaque(handler, JS_CLASS_C_FUNCTION_DATA); \
        bool goes_on = record && record->func == js_async_generator_resolve_function && record->magic < 2; \
        JSAsyncGeneratorData *generator = goes_on ? JS_GetOpaque(record->data[0], JS_CLASS_ASYNC_GENERATOR) : NULL; \
        if (!generator || list_empty(&generator->queue)) return NULL; \
        *end = list_entry(generator->queue.next, JSAsyncGeneratorRequest, link)->promise; \
        return &generator->func_state.frame; \
    } \
    static JSCFunctionDataRecord *phasor_element(JSValueConst handler) { \
        JSCFunctionDataRecord *record = JS_GetOpaque(handler, JS_CLASS_C_FUNCTION_DATA); \
        return record && record->func == js_promise_all_resolve_element ? record : NULL; \
    } \
    static JSPromiseReactionData *phasor_only_reaction(JSValueConst promise, int which) { \
        JSPromiseData *data = JS_GetOpaque(promise, JS_CLASS_PROMISE); \
        if (!data || data->promise_state != JS_PROMISE_PENDING) return NULL; \
        struct list_head *list = &data->promise_reactions[which]; \
        if (list_empty(list) || list->next->next != list) return NULL; \
        return list_entry(list->next, JSPromiseReactionData, link); \
    } \
    static bool phasor_add_site(JSContext *ctx, JSValueConst sites, int at, JSStackFrame *frame, JSCFunctionDataRecord *element) { \
        JSCallSiteData data; \
        if (frame) { \
            js_new_callsite_data(ctx, &data, frame); \
        } else { \
            static const char *const names[] = { "all", "allSettled", "any" }; \
            char name[64]; \
            snprintf(name, sizeof(name), "Promise.%s (index %d)", names[element->magic & 3], JS_VALUE_GET_INT(element->data[1])); \
            js_new_callsite_data2(ctx, &data, "", -1, -1); \
            data.native = true; \
            data.func_name = JS_NewString(ctx, name); \
        } \
        JSValue site = js_new_callsite(ctx, &data); \
        if (JS_IsException(site)) { \
            JS_FreeValue(ctx, data.filename); \
            JS_FreeValue(ctx, data.func); \
            JS_FreeValue(ctx, data.func_name); \
            return false; \
        } \
        JS_DefinePropertyValueStr(ctx, site, "async", JS_TRUE, 0); \
        return JS_DefinePropertyValueUint32(ctx, sites, at, site, JS_PROP_C_W_E) >= 0; \
    } \
    static void phasor_async_sites(void *engine, const void *list, const void *settler) { \
        JSContext *ctx = engine; \
        JSValueConst sites = *(const JSValueConst *)list, limit = ctx->error_stack_trace_limit; \
        const JSValueConst *job = settler ? settler : phasor_job; \
        int64_t at; \
        double most; \
        if (!job || !JS_IsNumber(limit) || JS_ToFloat64(ctx, &most, limit) < 0 || JS_GetLength(ctx, sites, &at) < 0) return; \
        JSValueConst promise = phasor_promise_of(job[0]); \
        if (!settler) phasor_waiting(job[2], &promise); \
        /* Chains may be long, or lead to where they began. */ \
        int steps = 1000; \
        for (JSPromiseReactionData *one; at < most && at < 64 && steps-- && (one = phasor_only_reaction(promise, 0)); ) { \
            JSPromiseReactionData *other = phasor_only_reaction(promise, 1); \
            JSCFunctionDataRecord *element = phasor_element(one->handler); \
            if (!element && other) element = phasor_element(other->handler); \
            JSStackFrame *frame = phasor_waiting(one->handler, &promise); \
            if (frame) { \
                if (!phasor_add_site(ctx, sites, at++, frame, NULL)) return; \
            } else if (element) { \
                if (!phasor_add_site(ctx, sites, at++, NULL, element)) return; \
                promise = phasor_promise_of(element->data[3]); \
            } else { \
                JSValueConst adopts = phasor_promise_of(one->handler); \
                promise = JS_IsObject(adopts) ? adopts : phasor_promise_of(one->resolving_funcs[0]); \
            } \
        } \
    }

// Where an error was thrown last, which may be elsewhere than where it was made: that is what is shown of one that nobody catches. What the
// runtime's own functions pass on was thrown before them. Nothing here belongs to an engine: a thread may have one after the other.
static _Thread_local struct {
    const void *error;
    int line, column;
    char file[1024];
} phasor_thrown __attribute__((unused));

#define PHASOR_THROWS_BODY \
    static void phasor_throws(JSContext *ctx, JSFunctionBytecode *code, const uint8_t *pc, JSValueConst error) { \
        if (!JS_IsError(error)) { \
            /* Its frames are wanted from here. Those that are there may be of an error that was made and not thrown. */ \
            JS_FreeValue(ctx, ctx->error_back_trace); \
            ctx->error_back_trace = JS_UNDEFINED; \
        } \
        if (!JS_IsObject(error) || code->filename == JS_ATOM_NULL) return; \
        char file[sizeof(phasor_thrown.file)]; \
        JS_AtomGetStrRT(ctx->rt, file, sizeof(file), code->filename); \
        if (!strncmp(file, "node:", 5)) { \
            /* What was thrown before may be gone, and this be in its place. */ \
            if (phasor_thrown.error != JS_VALUE_GET_PTR(error)) phasor_thrown.error = NULL; \
            return; \
        } \
        strcpy(phasor_thrown.file, file); \
        phasor_thrown.error = JS_VALUE_GET_PTR(error); \
        phasor_thrown.line = find_line_num(ctx, code, pc - code->byte_code_buf - 1, &phasor_thrown.column); \
    }

#define PHASOR_THROWN_BODY \
    /* Where an error was thrown last, and in which file; 0 if that is not known. */ \
    static int phasor_thrown_at(void *ctx, const void *error, void *file, int *column) { \
        JSValueConst thrown = *(const JSValueConst *)error; \
        if (!JS_IsObject(thrown) || phasor_thrown.error != JS_VALUE_GET_PTR(thrown)) return 0; \
        *(JSValue *)file = JS_NewString(ctx, phasor_thrown.file); \
        *column = phasor_thrown.column; \
        return phasor_thrown.line; \
    }

// As V8: an error has a `stack` of its own, before its message. Its accessors are those that `Error.prototype` had when errors began to
// be watched, so nothing is made of the call sites before somebody asks; the engine stores those in an error which has such a property,
// too. They are kept there once more, under a name that no program has: whatever one makes of `Error.prototype.stack`, errors have them.
static void (*phasor_own_stack)(void *ctx, const void *error) __attribute__((unused));

#define PHASOR_IS_JSValueConst , DEFINITION,
#define can_store_error_stack(error) PHASOR_JOIN(PHASOR_STORES_, PHASOR_KIND(error))(error)
#define PHASOR_STORES_CALL(error) phasor_can_store_stack(error)
#define PHASOR_STORES_DEFINITION(parameter) \
    can_store_error_stack(parameter); \
    static bool phasor_can_store_stack(JSValueConst error) { \
        if (!JS_IsObject(error)) return false; \
        JSObject *object = JS_VALUE_GET_OBJ(error); \
        const JSShapeProperty *own = find_own_property1(object, JS_ATOM_stack); \
        bool is_ours = !own || (own->flags & JS_PROP_TMASK) == JS_PROP_GETSET; \
        return object->class_id == JS_CLASS_ERROR && JS_IsUndefined(object->u.object_data) && is_ours; \
    } \
    static JSObject *phasor_same(JSObject *accessor) { \
        return accessor ? JS_VALUE_GET_OBJ(js_dup(JS_MKPTR(JS_TAG_OBJECT, accessor))) : NULL; \
    } \
    /* Gives an object accessors of `Error.prototype`, by another name. */ \
    static void phasor_copy_accessors(JSContext *ctx, JSAtom from, JSObject *object, JSAtom to) { \
        JSProperty *shared, *own; \
        const JSShapeProperty *found = find_own_property(&shared, JS_VALUE_GET_OBJ(ctx->class_proto[JS_CLASS_ERROR]), from); \
        if (!found || (found->flags & JS_PROP_TMASK) != JS_PROP_GETSET || find_own_property1(object, to)) return; \
        JSObject *getter = shared->u.getset.getter, *setter = shared->u.getset.setter; \
        own = add_property(ctx, object, to, JS_PROP_CONFIGURABLE | JS_PROP_GETSET); \
        if (!own) { \
            /* Out of memory: the prototype's will do. */ \
            JS_FreeValue(ctx, JS_GetException(ctx)); \
            return; \
        } \
        own->u.getset.getter = phasor_same(getter); \
        own->u.getset.setter = phasor_same(setter); \
    } \
    static void phasor_keep_stack(void *ctx) { \
        JSObject *prototype = JS_VALUE_GET_OBJ(((JSContext *)ctx)->class_proto[JS_CLASS_ERROR]); \
        phasor_copy_accessors(ctx, JS_ATOM_stack, prototype, JS_ATOM_Private_brand); \
    } \
    static void phasor_add_stack(void *ctx, const void *error) { \
        /* It may be where an older one was. */ \
        if (phasor_thrown.error == JS_VALUE_GET_PTR(*(const JSValueConst *)error)) phasor_thrown.error = NULL; \
        phasor_copy_accessors(ctx, JS_ATOM_Private_brand, JS_VALUE_GET_OBJ(*(const JSValueConst *)error), JS_ATOM_stack); \
    } \
    static void (*phasor_own_stack)(void *, const void *) = phasor_add_stack; \
    static __attribute__((unused)) bool can_store_error_stack(parameter)

// Where errors are made, the first property that they are given is the message.
#define JS_DefinePropertyValue(ctx, ...) PHASOR_JOIN(PHASOR_MESSAGE_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_MESSAGE_CALL(ctx, object, ...) \
    ({ JSValueConst defined = (object); \
       if (PHASOR_IS_IN("JS_MakeError2") || PHASOR_IS_IN("js_error_constructor")) phasor_own_stack(ctx, &defined); \
       PHASOR_DEFINES(ctx, defined, __VA_ARGS__); })
#define PHASOR_MESSAGE_DEFINITION(...) JS_DefinePropertyValue(__VA_ARGS__)

// As V8: an error's stack begins where its class was asked for one, whatever constructors ran for it, and as many frames as are wished
// for are counted from there, without those of `call`, `apply` and a few more. The engine counts from the innermost constructor, whose
// parameter `new_target` is; elsewhere it is a variable that nobody reads.
#define build_backtrace(ctx, ...) PHASOR_JOIN(PHASOR_TRACE_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_TRACE_CALL(ctx, ...) \
    phasor_trace(ctx, __builtin_strcmp(__func__, "js_error_constructor") == 0 ? &new_target : NULL, __VA_ARGS__)
#define PHASOR_TRACE_DEFINITION(...) \
    build_backtrace(__VA_ARGS__); \
    static JSValue new_target __attribute__((unused)); \
    static bool phasor_which_call(JSContext *ctx, const void *called, JSValue which[2]); \
    static JSValue js_function_call(JSContext *, JSValueConst, int, JSValueConst *); \
    static JSValue js_reflect_apply(JSContext *, JSValueConst, int, JSValueConst *); \
    static JSValue (js_reflect_construct)(JSContext *, JSValueConst, int, JSValueConst *); \
    static JSValue js_proxy_constructor(JSContext *, JSValueConst, int, JSValueConst *); \
    static bool phasor_is_unseen(JSStackFrame *frame) { \
        JSObject *function = JS_VALUE_GET_OBJ(frame->cur_func); \
        if (function->class_id != JS_CLASS_C_FUNCTION) return false; \
        const void *code = function->u.cfunc.c_function.generic; \
        return code == js_function_call || code == js_function_apply || code == js_reflect_apply || code == js_reflect_construct || \
            code == js_array_constructor || code == js_proxy_constructor; \
    } \
    static JSStackFrame *phasor_frame_of(JSContext *ctx, JSValueConst function) { \
        JSStackFrame *frame = ctx->rt->current_stack_frame; \
        while (frame && !js_same_value(ctx, frame->cur_func, function)) frame = frame->prev_frame; \
        return frame; \
    } \
    static void phasor_trace(JSContext *ctx, const JSValueConst *maker, JSValueConst error, JSValueConst filter, \
                             const char *file, int line, int column, int flags) { \
        JSStackFrame *top = ctx->rt->current_stack_frame, *made = maker ? phasor_frame_of(ctx, *maker) : NULL; \
        JSStackFrame outside = top ? *top : (JSStackFrame){0}; \
        if (made) { \
            outside.prev_frame = made->prev_frame; \
            ctx->rt->current_stack_frame = &outside; \
        } \
        /* As V8: of a function that does not run, nothing is below. */ \
        if (flags & JS_BACKTRACE_FLAG_FILTER_FUNC) ctx->rt->current_stack_frame = phasor_frame_of(ctx, filter); \
        JSValue limit = ctx->error_stack_trace_limit; \
        int seen = 0, unseen = 0, most = JS_VALUE_GET_TAG(limit) == JS_TAG_INT ? JS_VALUE_GET_INT(limit) : 0; \
        for (JSStackFrame *frame = ctx->rt->current_stack_frame; frame && seen <= most; frame = frame->prev_frame) \
            *(phasor_is_unseen(frame) ? &unseen : &seen) += 1; \
        if (most > 0 && unseen) ctx->error_stack_trace_limit = js_int32(most + unseen); \
        if (maker) { \
            /* A program's error is about nothing that the engine has named: that was for one of its own, which came to nothing. */ \
            phasor_regards(NULL, NULL); \
            phasor_own_stack(ctx, &error); \
        } \
        build_backtrace(ctx, error, filter, file, line, column, flags); \
        if (most > 0 && unseen) ctx->error_stack_trace_limit = limit; \
        ctx->rt->current_stack_frame = top; \
    } \
    static void build_backtrace(__VA_ARGS__)

// What gives a class or its instances their fields, and what stands in `static { }`, have names in stacks. V8 has one frame for the fields
// of a class and for such a block, where the engine calls the second from the first.
#define js_parse_function_class_fields_init(s) PHASOR_JOIN(PHASOR_FIELDS_, PHASOR_KIND(s))(s)
#define PHASOR_FIELDS_CALL(s) \
    ({ JSFunctionDef *fields = js_parse_function_class_fields_init(s); \
       if (fields) { \
           fields->func_name = JS_NewAtom((s)->ctx, cf->is_static ? "<static_initializer>" : "<instance_members_initializer>"); \
           fields->line_num = (s)->token.line_num; \
           fields->col_num = (s)->token.col_num; \
       } \
       fields; })
#define PHASOR_FIELDS_DEFINITION(s) js_parse_function_class_fields_init(s)

#define js_parse_function_decl2(s, ...) PHASOR_JOIN(PHASOR_PARSE_, PHASOR_KIND(s))(s, __VA_ARGS__)
#define PHASOR_PARSE_CALL(s, type, kind, name, text, line, column, flags, made) \
    ({ JSFunctionDef **parsed = (made); \
       int failed = js_parse_function_decl2(s, type, kind, name, text, line, column, flags, parsed); \
       if ((type) == JS_PARSE_FUNC_CLASS_STATIC_INIT && !failed) (*parsed)->func_name = JS_NewAtom((s)->ctx, "<static_block>"); \
       failed; })
#define PHASOR_PARSE_DEFINITION(...) js_parse_function_decl2(__VA_ARGS__)

// What is called and is no function: of several calls that the engine says are at one place, which one it is, and of how many. Of what the
// program does not call, but its loops do, -1 and the value; of what natives call, the value.
#define JS_ThrowTypeErrorNotAFunction(ctx) PHASOR_JOIN(PHASOR_NO_FUNCTION_, PHASOR_KIND(ctx))(ctx)
#define PHASOR_NO_FUNCTION_CALL(ctx) \
    ({ __typeof__(func_obj) called = func_obj; \
       JSValue which[2]; \
       PHASOR_REGARDS(phasor_which_call(ctx, PHASOR_IS_IN("JS_CallInternal") ? &called : NULL, which), which[0], which[1]); \
       JS_ThrowTypeErrorNotAFunction(ctx); })
#define PHASOR_NO_FUNCTION_DEFINITION(ctx) JS_ThrowTypeErrorNotAFunction(ctx)
#define PHASOR_WHICH_BODY \
    static bool phasor_is_call(int code) { \
        static const uint8_t calls[] = { OP_call, OP_call0, OP_call1, OP_call2, OP_call3, OP_call_method, OP_call_constructor, \
                                         OP_tail_call, OP_tail_call_method, OP_apply, OP_eval, OP_apply_eval }; \
        return memchr(calls, code, sizeof(calls)); \
    } \
    /* Whether an instruction calls a method of an iterator; what follows it tells of one that awaits the result. */ \
    static bool phasor_is_step(const JSFunctionBytecode *code, int verb, int next) { \
        static const uint8_t steps[] = { OP_append, OP_for_of_start, OP_for_await_of_start, OP_for_of_next, OP_iterator_next, \
                                         OP_iterator_call, OP_iterator_close }; \
        const uint8_t *after = code->byte_code_buf + next; \
        bool is_awaited = next + 1 < code->byte_code_len && after[0] == OP_await && \
            (after[1] == OP_iterator_get_value_done || after[1] == OP_check_object); \
        return is_awaited || memchr(steps, verb, sizeof(steps)); \
    } \
    static bool phasor_which_call(JSContext *ctx, const void *called, JSValue which[2]) { \
        JSStackFrame *frame = ctx->rt->current_stack_frame; \
        JSObject *function = frame ? JS_VALUE_GET_OBJ(frame->cur_func) : NULL; \
        if (function && !js_class_has_bytecode(function->class_id) && called) { \
            which[0] = which[1] = *(const JSValue *)called; \
            return true; \
        } \
        if (!function || !js_class_has_bytecode(function->class_id) || !frame->cur_pc) return false; \
        JSFunctionBytecode *code = function->u.func.function_bytecode; \
        int end = frame->cur_pc - code->byte_code_buf, column, at, found = -1, count = 0; \
        int line = find_line_num(ctx, code, end - 1, &column); \
        for (int next, begin = 0; begin < code->byte_code_len && begin < end + 1000; begin = next) { \
            int verb = code->byte_code_buf[begin]; \
            next = begin + short_opcode_info(verb).size; \
            if (next == end && called && phasor_is_step(code, verb, next)) { \
                which[0] = js_int32(-1); \
                which[1] = *(const JSValue *)called; \
                return true; \
            } \
            if (next < end - 1000 || !phasor_is_call(verb)) continue; \
            if (find_line_num(ctx, code, next - 1, &at) != line || at != column) continue; \
            if (next == end) found = count; \
            count++; \
        } \
        which[0] = js_int32(found); \
        which[1] = js_int32(count); \
        return found >= 0; \
    }

// What an error will be about, where the engine's words do not name it: the operands of `in` and `instanceof`, the class that cannot
// be extended, what cannot be walked over or taken apart.
#define PHASOR_REGARDS(is_so, left, right) ((is_so) ? phasor_regards(&(left), &(right)) : (void)0)

#define js_operator_in(ctx, sp) PHASOR_JOIN(PHASOR_IN_, PHASOR_KIND(ctx))(ctx, sp)
#define PHASOR_IN_CALL(ctx, sp) (PHASOR_REGARDS(!JS_IsObject((sp)[-1]), (sp)[-2], (sp)[-1]), js_operator_in(ctx, sp))
#define PHASOR_IN_DEFINITION(ctx, sp) js_operator_in(ctx, sp)

#define js_operator_instanceof(ctx, sp) PHASOR_JOIN(PHASOR_OF_, PHASOR_KIND(ctx))(ctx, sp)
#define PHASOR_OF_CALL(ctx, sp) \
    (PHASOR_REGARDS(!JS_IsObject((sp)[-1]), (sp)[-2], (sp)[-1]), phasor_instanceof(ctx, sp))
#define PHASOR_OF_DEFINITION(...) PHASOR_INSTANCE_DEFINITION(__VA_ARGS__)

#define js_op_define_class(ctx, ...) PHASOR_JOIN(PHASOR_CLASS_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_CLASS_CALL(ctx, sp, name, flags, ...) \
    (PHASOR_REGARDS(((flags) & JS_DEFINE_CLASS_HAS_HERITAGE) && !JS_IsNull((sp)[-2]) && !JS_IsConstructor(ctx, (sp)[-2]), \
                    (sp)[-2], (sp)[-2]), \
     js_op_define_class(ctx, sp, name, flags, __VA_ARGS__))
#define PHASOR_CLASS_DEFINITION(...) js_op_define_class(__VA_ARGS__)

#define JS_GetIterator(ctx, ...) PHASOR_JOIN(PHASOR_ITERATOR_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_ITERATOR_CALL(ctx, value, is_async) \
    ({ JSValueConst walked = (value); \
       PHASOR_REGARDS(!JS_IsObject(walked) && !JS_IsString(walked), walked, walked); \
       JS_GetIterator(ctx, walked, is_async); })
#define PHASOR_ITERATOR_DEFINITION(...) JS_GetIterator(__VA_ARGS__)

// Where an iterator that is awaited was asked for, V8's words say so. The method was asked for just before: by which name is known.
static _Thread_local _Bool phasor_is_of_async __attribute__((unused));
#define JS_GetIterator2(ctx, ...) PHASOR_JOIN(PHASOR_ITERATE_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_ITERATE_CALL(...) (PHASOR_IS_IN("JS_GetIterator") ? phasor_iterate(__VA_ARGS__) : JS_GetIterator2(__VA_ARGS__))
#define PHASOR_ITERATE_DEFINITION(...) \
    JS_GetIterator2(__VA_ARGS__); \
    static JSValue phasor_iterate(JSContext *ctx, JSValueConst value, JSValueConst method) { \
        bool is_of_async = phasor_is_of_async; \
        if (!JS_IsFunction(ctx, method)) return JS_ThrowTypeError(ctx, "value is not async iterable"); \
        JSValue iterator = JS_Call(ctx, method, value, 0, NULL); \
        if (JS_IsException(iterator) || JS_IsObject(iterator)) return iterator; \
        JS_FreeValue(ctx, iterator); \
        return JS_ThrowTypeError(ctx, "Result of the Symbol.%s method is not an object", is_of_async ? "asyncIterator" : "iterator"); \
    } \
    static JSValue JS_GetIterator2(__VA_ARGS__)

#define JS_ToObject(ctx, value) PHASOR_JOIN(PHASOR_OBJECT_, PHASOR_KIND(ctx))(ctx, value)
#define PHASOR_OBJECT_CALL(ctx, value) \
    ({ JSValueConst made = (value); \
       if (JS_IsNull(made) || JS_IsUndefined(made)) phasor_regard_apart(ctx, &made, PHASOR_IS_IN("JS_CallInternal")); \
       JS_ToObject(ctx, made); })
#define PHASOR_OBJECT_DEFINITION(...) \
    JS_ToObject(__VA_ARGS__); \
    static void phasor_regard_apart(void *, const void *, _Bool) __attribute__((unused)); \
    JSValue JS_ToObject(__VA_ARGS__)

// What is taken apart by a pattern, and the first name in that: the code that follows reads it, or notes that it is read.
#define PHASOR_APART_BODY \
    static JSAtom phasor_first_of_pattern(JSContext *ctx) { \
        JSStackFrame *frame = ctx->rt->current_stack_frame; \
        JSFunctionBytecode *code = JS_VALUE_GET_OBJ(frame->cur_func)->u.func.function_bytecode; \
        const uint8_t *end = code->byte_code_buf + code->byte_code_len; \
        int steps = 8; \
        for (const uint8_t *at = frame->cur_pc; at < end && steps--; at += short_opcode_info(*at).size) { \
            if (*at == OP_get_field || *at == OP_get_field2 || *at == OP_define_field) return get_u32(at + 1); \
            if (*at == OP_get_length) return JS_ATOM_length; \
            if (*at == OP_to_object || *at == OP_get_array_el || *at == OP_get_array_el2) break; \
        } \
        return JS_ATOM_NULL; \
    } \
    static void phasor_regard_apart(void *engine, const void *value, _Bool is_pattern) { \
        JSContext *ctx = engine; \
        JSAtom first = is_pattern ? phasor_first_of_pattern(ctx) : JS_ATOM_NULL; \
        JSValue name = first == JS_ATOM_NULL ? JS_UNDEFINED : JS_AtomToValue(ctx, first); \
        phasor_regards(value, &name); \
        JS_FreeValue(ctx, name); \
    }

// A text that a program has compiled gets a name of its own, by which `crates/js/src/eval_sources.rs` finds it when an error comes out of it.
#define JS_EvalInternal(ctx, ...) PHASOR_JOIN(PHASOR_EVAL_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_EVAL_CALL(ctx, this_object, text, length, name, line, ...) \
    ({ const char *compiled = (text), *file = (name); \
       size_t bytes = (length); \
       int first = (line); \
       if (__builtin_strcmp(__func__, "JS_EvalObject") == 0) file = phasor_evaluates(&compiled, &bytes, &first); \
       JS_EvalInternal(ctx, this_object, compiled, bytes, file, first, __VA_ARGS__); })
#define PHASOR_EVAL_DEFINITION(...) JS_EvalInternal(__VA_ARGS__)
