// What the engine asks and tells of promises, one short cut, and realms whose global object is of another kind. What it does wrong, or
// slowly, of the language itself is mended in `phasor_mends.h`.
// Included before each of its files, by `.cargo/config.toml`; others' files have it before them as well, and do not notice.
//
// The engine has a hook that hears of new promises, but nothing of what a program sees tells of an `await`, or of who
// runs in a reaction. A few of its functions are all that has to be heard:
//
// - `perform_promise_then`, by which every `then` and `await` hangs its handlers on a promise: `phasor_then` may give
//   others in their place, and have an `await` carry a value;
// - `promise_reaction_job`, which calls one of them: `phasor_reacts` hears of it before, and takes what was carried out;
// - `fulfill_or_reject_promise`, as the hook does not tell of rejections: `phasor_settles` does;
// - `js_promise_resolve`, by which `await` makes a promise of a value: `phasor_awaits` hears, before and after, in which function,
//   and whether the value is a plain one;
// - `js_dynamic_import_job`, which would load what `import()` names at one go: `phasor_imports` settles its promise instead, when
//   it is time.
//
// And for `crates/js/src/errors.rs` one that knows who waits for whom, `phasor_async_sites`, and what errors are about:
// `phasor_regards`.
//
// They are in `crates/js/src/reactions.rs`, the last in `crates/js/src/modules.rs`, what the short cut asks in
// `crates/js/src/class.rs`. The functions themselves, and the rest of the engine, stay as they are published: only their calls are
// rewritten here. A call passes `ctx`, a definition declares `JSContext *ctx`, and that is how the two are told apart.
//
// Where nobody could see it, an `await` of a plain value in an async function goes without a promise and with one handler: the job
// that would call it is queued at once. It is the same job at the same moment, for a quarter of the work.

#if !defined(PHASOR_ENGINE_H) && !defined(__ASSEMBLER__)
#define PHASOR_ENGINE_H

const void *phasor_then(void *ctx, const void *promise, const void *handlers, const void *capability);
void phasor_reacts(void *ctx, void *args);
void phasor_settles(void *ctx, const void *promise, int is_reject);
_Bool phasor_awaits(const void *function, _Bool is_plain);
void phasor_imports(void *ctx, const void *args);
void phasor_adds(const void *functions);
void phasor_regards(const void *left, const void *right);
const void *phasor_function_model(const void *ctx);
const char *phasor_evaluates(const char **text, __SIZE_TYPE__ *length, int *line);

// What settles the promise of the async function that runs.
static _Thread_local const void *phasor_function __attribute__((unused));

// The arguments of the reaction's job that runs, if one does.
static _Thread_local const void *phasor_job __attribute__((unused));

// CALL, or DEFINITION if the first parameter is one of a function's definition.
#define PHASOR_KIND(first) PHASOR_SECOND(PHASOR_IS_##first, CALL, )
#define PHASOR_IS_JSContext , DEFINITION,
#define PHASOR_IS_JSParseState , DEFINITION,
#define PHASOR_IS_func_kind_to_class_id , FUNCTION,
#define PHASOR_SECOND(...) PHASOR_SECOND_OF(__VA_ARGS__)
#define PHASOR_SECOND_OF(first, second, ...) second
#define PHASOR_JOIN(name, kind) PHASOR_JOIN_BOTH(name, kind)
#define PHASOR_JOIN_BOTH(name, kind) name##kind

#define perform_promise_then(ctx, promise, handlers, capability) \
    PHASOR_JOIN(PHASOR_THEN_, PHASOR_KIND(ctx))(ctx, promise, handlers, capability)
#define PHASOR_THEN_CALL(ctx, promise, handlers, capability) \
    ({ void *hung = (void *)phasor_then(ctx, &(promise), handlers, capability); \
       PHASOR_IN_ASYNC_FUNCTION && !JS_IsObject(promise) \
           ? JS_EnqueueJob(ctx, promise_reaction_job, 5, \
                           (JSValueConst[]){ (capability)[0], (capability)[1], (handlers)[0], JS_FALSE, promise }) \
           : engine_promise_then(ctx, promise, hung, capability); })
#define PHASOR_THEN_DEFINITION(ctx, promise, handlers, capability) \
    engine_promise_then(ctx, promise, handlers, capability)

// Nobody calls it: it is queued, by its name alone, which this leaves as it is. So its definition becomes that of what it calls.
#define promise_reaction_job(...) \
    engine_reaction_job(__VA_ARGS__); \
    static JSValue promise_reaction_job(__VA_ARGS__) { \
        JSValueConst args[5] = { argv[0], argv[1], argv[2], argv[3], argv[4] }; \
        const void *outer = phasor_job; \
        phasor_job = args; \
        phasor_reacts(ctx, args); \
        JSValue result = engine_reaction_job(ctx, argc, args); \
        phasor_job = outer; \
        return result; \
    } \
    static JSValue engine_reaction_job(__VA_ARGS__)

// As the one above: it is queued by its name. What the engine would do is left to nobody.
#define js_dynamic_import_job(...) \
    js_dynamic_import_job(__VA_ARGS__) { \
        phasor_imports(ctx, argv); \
        return JS_UNDEFINED; \
    } \
    static __attribute__((unused)) JSValue engine_dynamic_import_job(__VA_ARGS__)

#define fulfill_or_reject_promise(ctx, promise, value, is_reject) \
    PHASOR_JOIN(PHASOR_SETTLE_, PHASOR_KIND(ctx))(ctx, promise, value, is_reject)
#define PHASOR_SETTLE_CALL(ctx, promise, value, is_reject) \
    (phasor_settles(ctx, &(promise), is_reject), engine_settle_promise(ctx, promise, value, is_reject))
#define PHASOR_SETTLE_DEFINITION(ctx, promise, value, is_reject) \
    engine_settle_promise(ctx, promise, value, is_reject)

// These two may run each other: whoever is called inside of one has its own, or none.
#define js_async_function_resume(ctx, s) PHASOR_JOIN(PHASOR_RESUME_, PHASOR_KIND(ctx))(ctx, s)
#define PHASOR_RESUME_CALL(ctx, s) PHASOR_WITHIN(&(s)->resolving_funcs[0], bool went_on = js_async_function_resume(ctx, s), went_on)
#define PHASOR_RESUME_DEFINITION(ctx, s) js_async_function_resume(ctx, s)

#define js_async_generator_resume_next(ctx, s) PHASOR_JOIN(PHASOR_GENERATE_, PHASOR_KIND(ctx))(ctx, s)
#define PHASOR_GENERATE_CALL(ctx, s) PHASOR_WITHIN(NULL, js_async_generator_resume_next(ctx, s), (void)0)
#define PHASOR_GENERATE_DEFINITION(ctx, s) js_async_generator_resume_next(ctx, s)

#define PHASOR_WITHIN(function, call, result) \
    ({ const void *outer = phasor_function; phasor_function = function; call; phasor_function = outer; result; })

// Whether the text that this stands in is that of an async function's `await`.
#define PHASOR_IN_ASYNC_FUNCTION (__builtin_strcmp(__func__, "js_async_function_resume") == 0)

#define js_promise_resolve(ctx, ...) PHASOR_JOIN(PHASOR_RESOLVE_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_RESOLVE_CALL(ctx, maker, count, values, magic) \
    ({ bool is_plain = (magic) == 0 && !JS_IsObject(*(values)); \
       bool is_unseen = phasor_awaits(phasor_function, is_plain); \
       JSValue resolved = is_plain && is_unseen && PHASOR_IN_ASYNC_FUNCTION \
           ? js_dup(*(values)) \
           : js_promise_resolve(ctx, maker, count, values, magic); \
       phasor_awaits(NULL, 0); \
       resolved; })
#define PHASOR_RESOLVE_DEFINITION(...) js_promise_resolve(__VA_ARGS__)

// The handlers of an `await`, of whose promise the text before has made a value: of a plain one there is nothing to be rejected.
#define js_async_function_resolve_create(ctx, ...) PHASOR_JOIN(PHASOR_HANDLERS_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_HANDLERS_CALL(ctx, s, handlers) \
    ({ int failed = JS_IsObject(promise) ? js_async_function_resolve_create(ctx, s, handlers) \
                                         : phasor_create_handler(ctx, s, handlers); \
       if (!failed && unlikely(phasor_is_closing(&(s)->func_state.frame))) { \
           JS_VALUE_GET_OBJ((handlers)[0])->class_id = JS_CLASS_ASYNC_FUNCTION_REJECT; \
       } \
       failed; })
#define PHASOR_HANDLERS_DEFINITION(...) \
    js_async_function_resolve_create(__VA_ARGS__); \
    static JSValue (promise_reaction_job)(JSContext *, int, JSValueConst *); \
    static int phasor_create_handler(JSContext *ctx, JSAsyncFunctionData *function, JSValue *handlers) { \
        handlers[0] = JS_NewObjectProtoClass(ctx, ctx->function_proto, JS_CLASS_ASYNC_FUNCTION_RESOLVE); \
        handlers[1] = JS_UNDEFINED; \
        if (JS_IsException(handlers[0])) return -1; \
        JS_REF_COUNT(function)++; \
        JS_VALUE_GET_OBJ(handlers[0])->u.async_function_data = function; \
        return 0; \
    } \
    static int js_async_function_resolve_create(__VA_ARGS__)

// The functions that wait for the one that a job runs in, or for the promise of a settler: `phasor_async_sites` puts their call sites
// behind those of a new error. As V8: a promise leads to who waits for it only if nobody else does. Nothing is kept for it, so only
// who throws pays.
#define js_callsite_getfield(...) \
    js_callsite_getfield(__VA_ARGS__); \
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
    } \
    /* Takes the last of a list that is a listener, or whose property of a name is one, out of the list. Whether there was one; -1 */ \
    /* where only JavaScript can tell. Functions of one shape have the property at one place, or nowhere. */ \
    static int phasor_take_listener(void *engine, const void *list, const void *listener, unsigned name) { \
        JSContext *ctx = engine; \
        JSValue array = *(const JSValue *)list, *values; \
        JSObject *wanted = JS_VALUE_GET_OBJ(*(const JSValue *)listener); \
        JSShape *known = NULL; \
        intptr_t place = -1; \
        uint32_t count; \
        if (!js_get_fast_array(ctx, array, &values, &count)) return -1; \
        JSObject *object = JS_VALUE_GET_OBJ(array); \
        if (!phasor_is_plain_array(ctx, object)) return -1; \
        for (uint32_t at = count; at-- > 0; ) { \
            if (!JS_IsObject(values[at])) return -1; \
            JSObject *one = JS_VALUE_GET_OBJ(values[at]); \
            if (one != wanted) { \
                if (one->shape != known) { \
                    JSProperty *property; \
                    JSShapeProperty *found = find_own_property(&property, one, name); \
                    if (one->is_exotic || (found && (found->flags & JS_PROP_TMASK) != JS_PROP_NORMAL)) return -1; \
                    for (JSObject *above = one->shape->proto; !found && above; above = above->shape->proto) { \
                        if (above->is_exotic || find_own_property(&property, above, name)) return -1; \
                    } \
                    place = found ? property - one->prop : -1; \
                    known = one->shape; \
                } \
                if (place < 0 || !JS_IsObject(one->prop[place].u.value)) continue; \
                if (JS_VALUE_GET_OBJ(one->prop[place].u.value) != wanted) continue; \
            } \
            JSValue gone = values[at]; \
            memmove(values + at, values + at + 1, (count - at - 1) * sizeof(*values)); \
            object->u.array.count = count - 1; \
            object->prop[0].u.value = js_int32(count - 1); \
            JS_FreeValue(ctx, gone); \
            return 1; \
        } \
        return 0; \
    } \
    static bool phasor_is_call(int code) { \
        static const uint8_t calls[] = { OP_call, OP_call0, OP_call1, OP_call2, OP_call3, OP_call_method, OP_call_constructor, \
                                         OP_tail_call, OP_tail_call_method, OP_apply, OP_eval, OP_apply_eval }; \
        return memchr(calls, code, sizeof(calls)); \
    } \
    static bool phasor_which_call(JSContext *ctx, JSValue which[2]) { \
        JSStackFrame *frame = ctx->rt->current_stack_frame; \
        JSObject *function = frame ? JS_VALUE_GET_OBJ(frame->cur_func) : NULL; \
        if (!function || !js_class_has_bytecode(function->class_id) || !frame->cur_pc) return false; \
        JSFunctionBytecode *code = function->u.func.function_bytecode; \
        int end = frame->cur_pc - code->byte_code_buf, column, at, found = -1, count = 0; \
        int line = find_line_num(ctx, code, end - 1, &column); \
        for (int next, begin = 0; begin < code->byte_code_len && begin < end + 1000; begin = next) { \
            int verb = code->byte_code_buf[begin]; \
            next = begin + short_opcode_info(verb).size; \
            if (next < end - 1000 || !phasor_is_call(verb)) continue; \
            if (find_line_num(ctx, code, next - 1, &at) != line || at != column) continue; \
            if (next == end) found = count; \
            count++; \
        } \
        which[0] = js_int32(found); \
        which[1] = js_int32(count); \
        return found >= 0; \
    } \
    /* What Rust may call, as `crates/js/src/engine.rs` has it: told, as a program may have the engine without this header. */ \
    static const struct { \
        void (*async_sites)(void *, const void *, const void *); \
        void (*set_global)(void *, const void *); \
        void (*share_seed)(void *, const void *); \
        _Bool (*is_strict)(void *); \
        int (*set_property)(void *, const void *, unsigned, const void *); \
        int (*take_listener)(void *, const void *, const void *, unsigned); \
        _Bool (*is_registry)(const void *); \
        void *(*new_entry)(const void *, const void *); \
        void (*drop_entry)(void *, void *); \
    } phasor_added = { \
        phasor_async_sites, phasor_set_global, phasor_share_seed, phasor_is_strict, phasor_set_property, phasor_take_listener, \
        phasor_is_registry, phasor_new_entry, phasor_drop_entry, \
    }; \
    __attribute__((constructor)) static void phasor_tell(void) { phasor_adds(&phasor_added); } \
    static JSValue js_callsite_getfield(__VA_ARGS__)

// As V8: an error's stack begins where its class was asked for one, whatever constructors ran for it, and as many frames as are wished
// for are counted from there, without those of `call` and `apply`. The engine counts from the innermost constructor, whose parameter
// `new_target` is; elsewhere it is a variable that nobody reads.
#define build_backtrace(ctx, ...) PHASOR_JOIN(PHASOR_TRACE_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_TRACE_CALL(ctx, ...) \
    phasor_trace(ctx, __builtin_strcmp(__func__, "js_error_constructor") == 0 ? &new_target : NULL, __VA_ARGS__)
#define PHASOR_TRACE_DEFINITION(...) \
    build_backtrace(__VA_ARGS__); \
    static JSValue new_target __attribute__((unused)); \
    static bool phasor_which_call(JSContext *ctx, JSValue which[2]); \
    static JSValue js_function_call(JSContext *, JSValueConst, int, JSValueConst *); \
    static JSValue js_reflect_apply(JSContext *, JSValueConst, int, JSValueConst *); \
    static bool phasor_is_unseen(JSStackFrame *frame) { \
        JSObject *function = JS_VALUE_GET_OBJ(frame->cur_func); \
        if (function->class_id != JS_CLASS_C_FUNCTION) return false; \
        const void *code = function->u.cfunc.c_function.generic; \
        return code == js_function_call || code == js_function_apply || code == js_reflect_apply; \
    } \
    static void phasor_trace(JSContext *ctx, const JSValueConst *maker, JSValueConst error, JSValueConst filter, \
                             const char *file, int line, int column, int flags) { \
        JSStackFrame *top = ctx->rt->current_stack_frame, *made = maker ? top : NULL; \
        while (made && !js_same_value(ctx, made->cur_func, *maker)) made = made->prev_frame; \
        JSStackFrame outside = top ? *top : (JSStackFrame){0}; \
        if (made) { \
            outside.prev_frame = made->prev_frame; \
            ctx->rt->current_stack_frame = &outside; \
        } \
        JSValue limit = ctx->error_stack_trace_limit; \
        int seen = 0, unseen = 0, most = JS_VALUE_GET_TAG(limit) == JS_TAG_INT ? JS_VALUE_GET_INT(limit) : 0; \
        for (JSStackFrame *frame = ctx->rt->current_stack_frame; frame && seen <= most; frame = frame->prev_frame) \
            *(phasor_is_unseen(frame) ? &unseen : &seen) += 1; \
        if (most > 0 && unseen) ctx->error_stack_trace_limit = js_int32(most + unseen); \
        build_backtrace(ctx, error, filter, file, line, column, flags); \
        if (most > 0 && unseen) ctx->error_stack_trace_limit = limit; \
        ctx->rt->current_stack_frame = top; \
    } \
    static void build_backtrace(__VA_ARGS__)

// What is called and is no function: of several calls that the engine says are at one place, which one it is, and of how many.
#define JS_ThrowTypeErrorNotAFunction(ctx) PHASOR_JOIN(PHASOR_NO_FUNCTION_, PHASOR_KIND(ctx))(ctx)
#define PHASOR_NO_FUNCTION_CALL(ctx) \
    ({ JSValue which[2]; \
       PHASOR_REGARDS(phasor_which_call(ctx, which), which[0], which[1]); \
       JS_ThrowTypeErrorNotAFunction(ctx); })
#define PHASOR_NO_FUNCTION_DEFINITION(ctx) JS_ThrowTypeErrorNotAFunction(ctx)

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

#define JS_ToObject(ctx, value) PHASOR_JOIN(PHASOR_OBJECT_, PHASOR_KIND(ctx))(ctx, value)
#define PHASOR_OBJECT_CALL(ctx, value) \
    ({ JSValueConst made = (value); \
       PHASOR_REGARDS(JS_IsNull(made) || JS_IsUndefined(made), made, made); \
       JS_ToObject(ctx, made); })
#define PHASOR_OBJECT_DEFINITION(ctx, value) JS_ToObject(ctx, value)

// A text that a program has compiled gets a name of its own, by which `crates/js/src/evaluated.rs` finds it when an error comes out of it.
#define JS_EvalInternal(ctx, ...) PHASOR_JOIN(PHASOR_EVAL_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_EVAL_CALL(ctx, this_object, text, length, name, line, ...) \
    ({ const char *compiled = (text), *file = (name); \
       size_t bytes = (length); \
       int first = (line); \
       if (__builtin_strcmp(__func__, "JS_EvalObject") == 0) file = phasor_evaluates(&compiled, &bytes, &first); \
       JS_EvalInternal(ctx, this_object, compiled, bytes, file, first, __VA_ARGS__); })
#define PHASOR_EVAL_DEFINITION(...) JS_EvalInternal(__VA_ARGS__)

// A realm of `vm` has a global object that stands before others: `crates/js/src/realm.rs`. What the engine itself takes for granted of a
// global object is true of the first of those, where it declares variables; and a name that is looked up may be missing.
#define JS_CheckDefineGlobalVar(ctx, ...) PHASOR_JOIN(PHASOR_CHECK_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_CHECK_CALL(...) phasor_declare(JS_CheckDefineGlobalVar, __VA_ARGS__)
#define PHASOR_CHECK_DEFINITION(...) JS_CheckDefineGlobalVar(__VA_ARGS__)

#define JS_DefineGlobalVar(ctx, ...) PHASOR_JOIN(PHASOR_DEFINE_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_DEFINE_CALL(...) phasor_declare(JS_DefineGlobalVar, __VA_ARGS__)
#define PHASOR_DEFINE_DEFINITION(...) JS_DefineGlobalVar(__VA_ARGS__)

#define JS_DefineGlobalFunction(ctx, ...) PHASOR_JOIN(PHASOR_FUNCTION_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_FUNCTION_CALL(...) phasor_declare_function(__VA_ARGS__)
#define PHASOR_FUNCTION_DEFINITION(...) JS_DefineGlobalFunction(__VA_ARGS__)

#define JS_GetGlobalVar(ctx, ...) PHASOR_JOIN(PHASOR_GET_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_GET_CALL(...) phasor_get_global(__VA_ARGS__)
#define PHASOR_GET_DEFINITION(...) \
    JS_GetGlobalVar(__VA_ARGS__); \
    static inline const JSValue *phasor_behind(JSContext *ctx) { \
        JSObject *global = JS_VALUE_GET_OBJ(ctx->global_obj); \
        return unlikely(global->is_exotic) ? global->u.opaque : NULL; \
    } \
    static int phasor_declare(int (*declare)(JSContext *, JSAtom, int), JSContext *ctx, JSAtom name, int flags) { \
        const JSValue *behind = phasor_behind(ctx); \
        JSValue global = ctx->global_obj; \
        if (behind) ctx->global_obj = behind[0]; \
        int failed = declare(ctx, name, flags); \
        ctx->global_obj = global; \
        return failed; \
    } \
    static int phasor_declare_function(JSContext *ctx, JSAtom name, JSValue function, int flags) { \
        const JSValue *behind = phasor_behind(ctx); \
        JSValue global = ctx->global_obj; \
        if (behind) ctx->global_obj = behind[0]; \
        int failed = (JS_DefineGlobalFunction)(ctx, name, function, flags); \
        ctx->global_obj = global; \
        if (behind && failed >= 0) failed = JS_SetPropertyInternal(ctx, behind[1], name, js_dup(function), 0) < 0 ? -1 : 0; \
        return failed; \
    } \
    static JSValue phasor_get_global(JSContext *ctx, JSAtom name, bool is_needed) { \
        JSProperty *property; \
        JSValue value = (JS_GetGlobalVar)(ctx, name, is_needed); \
        if (likely(!JS_IsUndefined(value)) || !is_needed || !phasor_behind(ctx)) return value; \
        if (find_own_property(&property, JS_VALUE_GET_OBJ(ctx->global_var_obj), name)) return value; \
        int has = JS_HasProperty(ctx, ctx->global_obj, name); \
        if (has > 0) return value; \
        return has < 0 ? JS_EXCEPTION : JS_ThrowReferenceErrorNotDefined(ctx, name); \
    } \
    static void phasor_set_global(void *ctx, const void *global) { \
        set_value(ctx, &((JSContext *)ctx)->global_obj, js_dup(*(const JSValue *)global)); \
    } \
    static void phasor_share_seed(void *ctx, const void *other) { \
        ((JSContext *)ctx)->hash_seed = ((const JSContext *)other)->hash_seed; \
    } \
    static _Bool phasor_is_strict(void *ctx) { return is_strict_mode(ctx); } \
    static int phasor_set_property(void *ctx, const void *object, unsigned name, const void *value) { \
        return JS_SetPropertyInternal(ctx, *(const JSValue *)object, name, *(const JSValue *)value, 0); \
    } \
    static JSValue JS_GetGlobalVar(__VA_ARGS__)

#include "phasor_mends.h"
#include "phasor_quick.h"

#endif
