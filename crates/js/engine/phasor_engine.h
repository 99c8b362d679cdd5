// Phasor's patch of QuickJS: hooks for promises, realms with an exotic global object, and the table of functions for Rust.
// `.cargo/config.toml` has the C compiler include this header before each C file of the build; in files that are not QuickJS's it has
// no effect.
//
// The other parts of the patch, included at the end:
// - `phasor_errors.h`, `phasor_subjects.h`: hooks that report errors and their operands;
// - `phasor_mends.h`, `phasor_natives.h`, `phasor_weak.h`: fixes where QuickJS deviates from ECMA-262 or has superlinear cost;
// - `phasor_looks.h`: property guards for native fast paths;
// - `phasor_quick.h`, `phasor_memory.h`, `phasor_literals.h`, `phasor_wholes.h`, `phasor_walks.h`, `phasor_text.h`,
//   `phasor_replace.h`: faster property access, allocation, literals, spread, array iteration and string operations.
//
// How calls are rewritten: QuickJS's sources stay as published. A macro with the name of a function replaces its calls. A call passes
// `ctx`, a definition declares `JSContext *ctx`; `PHASOR_KIND` distinguishes the two by that first argument, so the definition keeps
// its name and body.
//
// The promise hook of QuickJS reports new promises, but not `await`, nor when a reaction runs. So these functions are hooked as well:
// - `perform_promise_then` adds handlers to a promise, for `then` and `await`: `phasor_then` may replace the handlers, and attach a
//   value to an `await`;
// - `promise_reaction_job` runs a reaction: `phasor_reacts` runs before it, and takes the attached value out;
// - `fulfill_or_reject_promise`: `phasor_settles` reports rejections, which the promise hook does not;
// - `js_promise_resolve` creates the promise of an `await`: `phasor_awaits` runs before and after it, with the async function, and
//   whether the value is not a thenable;
// - `js_dynamic_import_job` would load a module synchronously: `phasor_imports` settles the promise of `import()` later instead.
//
// Their Rust side is `crates/js/src/reactions.rs`; for the last one, `crates/js/src/modules.rs`.
//
// An `await` of a value without a `then` creates no promise where that cannot be observed: the job that resumes the function is queued
// directly. The order of jobs is the same, for a quarter of the work.

#if !defined(PHASOR_ENGINE_H) && !defined(__ASSEMBLER__)
#define PHASOR_ENGINE_H

// The revision of the patch. The compiler's flags have the same number, as -DPHASOR_ENGINE: raise both with every change of a header
// here, because cargo compiles the engine again only if its flags change. `build.rs` compares the two.
#define PHASOR_ENGINE_REVISION 156
#if PHASOR_ENGINE != PHASOR_ENGINE_REVISION
#error "-DPHASOR_ENGINE differs from PHASOR_ENGINE_REVISION: raise the number in .cargo/config.toml"
#endif

const void *phasor_then(void *ctx, const void *promise, const void *handlers, const void *capability);
void phasor_reacts(void *ctx, void *args);
void phasor_settles(void *ctx, const void *promise, int is_reject);
_Bool phasor_awaits(const void *function, _Bool is_plain);
void phasor_imports(void *ctx, const void *args);
void phasor_adds(const void *functions, unsigned long size);

// What settles the promise of the async function that runs.
static _Thread_local const void *phasor_function __attribute__((unused));

// The arguments of the reaction's job that runs, if one does.
static _Thread_local const void *phasor_job __attribute__((unused));

// Whether the promise that is being made is settled by its owner: then it needs no functions for that.
static _Thread_local _Bool phasor_is_owned __attribute__((unused));

// Whether the promise of an `await` could not be made: the engine would end the function, which may catch that. So it is told of a plain
// value, for which nothing is queued, and the function is resumed with the error that is on its way. It is so from there to the end of
// the same `js_async_function_resume`, in which no script runs.
static _Thread_local _Bool phasor_is_refused __attribute__((unused));

// CALL, or DEFINITION if the first parameter is one of a function's definition.
#define PHASOR_KIND(first) PHASOR_SECOND(PHASOR_IS_##first, CALL, )
#define PHASOR_IS_JSContext , DEFINITION,
#define PHASOR_IS_JSParseState , DEFINITION,
#define PHASOR_IS_REExecContext , DEFINITION,
#define PHASOR_IS_uint8_t , DEFINITION,
#define PHASOR_IS_int , DEFINITION,
#define PHASOR_SECOND(...) PHASOR_SECOND_OF(__VA_ARGS__)
#define PHASOR_SECOND_OF(first, second, ...) second
#define PHASOR_JOIN(name, kind) PHASOR_JOIN_BOTH(name, kind)
#define PHASOR_JOIN_BOTH(name, kind) name##kind

// Whether the text that this stands in is that of a function. The compiler knows.
#define PHASOR_IS_IN(function) (__builtin_strcmp(__func__, function) == 0)

#define perform_promise_then(ctx, promise, handlers, capability) \
    PHASOR_JOIN(PHASOR_THEN_, PHASOR_KIND(ctx))(ctx, promise, handlers, capability)
#define PHASOR_THEN_CALL(ctx, promise, handlers, capability) \
    ({ void *hung = phasor_is_refused ? NULL : (void *)phasor_then(ctx, &(promise), handlers, capability); \
       PHASOR_IN_AWAIT && phasor_is_refused ? 0 \
       : PHASOR_IN_AWAIT && !PHASOR_IS_PROMISE(promise) \
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
#define PHASOR_RESUME_CALL(ctx, s) PHASOR_WITHIN(&(s)->resolving_funcs[0], bool went_on = phasor_resume(ctx, s), went_on)
#define PHASOR_RESUME_DEFINITION(...) \
    js_async_function_resume(__VA_ARGS__); \
    /* Who awaits what no promise can be made of, as its `constructor` throws, goes on at once, with what was thrown. */ \
    static bool phasor_resume(JSContext *ctx, JSAsyncFunctionData *s) { \
        bool went_on = js_async_function_resume(ctx, s); \
        while (unlikely(phasor_is_refused)) { \
            phasor_is_refused = false; \
            s->func_state.throw_flag = true; \
            went_on = js_async_function_resume(ctx, s); \
        } \
        return went_on; \
    } \
    static bool js_async_function_resume(__VA_ARGS__)

#define js_async_generator_resume_next(ctx, s) PHASOR_JOIN(PHASOR_GENERATE_, PHASOR_KIND(ctx))(ctx, s)
#define PHASOR_GENERATE_CALL(ctx, s) PHASOR_WITHIN(NULL, js_async_generator_resume_next(ctx, s), (void)0)
#define PHASOR_GENERATE_DEFINITION(ctx, s) js_async_generator_resume_next(ctx, s)

// The promise of a call of a generator's `next` is settled by the generator, which has it at hand.
#define js_async_generator_next(...) \
    engine_generator_next(__VA_ARGS__); \
    static JSValue js_async_generator_next(__VA_ARGS__) { \
        phasor_is_owned = JS_GetOpaque(this_val, JS_CLASS_ASYNC_GENERATOR) != NULL; \
        JSValue promise = engine_generator_next(ctx, this_val, argc, argv, magic); \
        phasor_is_owned = false; \
        return promise; \
    } \
    static JSValue engine_generator_next(__VA_ARGS__)

#define js_create_resolving_functions(ctx, ...) PHASOR_JOIN(PHASOR_SETTLERS_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_SETTLERS_CALL(ctx, functions, promise) \
    (PHASOR_IS_IN("js_promise_new") && phasor_is_owned \
         ? (phasor_is_owned = false, (functions)[0] = (functions)[1] = JS_UNDEFINED, 0) \
         : js_create_resolving_functions(ctx, functions, promise))
#define PHASOR_SETTLERS_DEFINITION(...) js_create_resolving_functions(__VA_ARGS__)

#define js_async_generator_resolve_or_reject(ctx, ...) PHASOR_JOIN(PHASOR_ANSWER_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_ANSWER_CALL(...) phasor_answer(__VA_ARGS__)
#define PHASOR_ANSWER_DEFINITION(...) \
    phasor_answer(__VA_ARGS__); \
    static void engine_settle_promise(JSContext *, JSValueConst, JSValueConst, bool); \
    static int (js_create_resolving_functions)(JSContext *, JSValue *, JSValueConst); \
    static void (js_async_generator_resume_next)(JSContext *, JSAsyncGeneratorData *); \
    static _Thread_local const void *phasor_drained; \
    static void phasor_answer(__VA_ARGS__) { \
        JSAsyncGeneratorRequest *request = list_entry(s->queue.next, JSAsyncGeneratorRequest, link); \
        JSValue *settlers = request->resolving_funcs; \
        list_del(&request->link); \
        /* A program may have made every object one that a promise waits for. */ \
        bool is_settled = is_reject || phasor_is_plain(&result); \
        if (is_settled) fulfill_or_reject_promise(ctx, request->promise, result, is_reject); \
        else if ((js_create_resolving_functions)(ctx, settlers, request->promise) == 0) \
            JS_FreeValue(ctx, JS_Call(ctx, settlers[0], JS_UNDEFINED, 1, &result)); \
        JS_FreeValue(ctx, request->result); \
        JS_FreeValue(ctx, request->promise); \
        JS_FreeValue(ctx, settlers[0]); \
        JS_FreeValue(ctx, settlers[1]); \
        js_free(ctx, request); \
        /* Who asks a generator that is over is answered at once. The engine answers one of many, and leaves the others waiting. */ \
        const void *outer = phasor_drained; \
        if (outer == s) return; \
        phasor_drained = s; \
        while (s->state == JS_ASYNC_GENERATOR_STATE_COMPLETED && !list_empty(&s->queue)) js_async_generator_resume_next(ctx, s); \
        phasor_drained = outer; \
    } \
    static __attribute__((unused)) void engine_answer(__VA_ARGS__)

// What the inner iterator of a `yield*` has returned is the value of an async generator's `return` as it is; the engine awaits it once more.
// Where the iterator has no `return`, what was given is awaited. What comes before is told by the three instructions that take the
// iterator away.
#define emit_label(s, label) PHASOR_JOIN(PHASOR_LABEL_, PHASOR_KIND(label))(s, label)
#define PHASOR_IS_label_return1 , STAR,
#define PHASOR_LABEL_CALL(s, label) emit_label(s, label)
#define PHASOR_LABEL_DEFINITION(s, label) emit_label(s, label)
#define PHASOR_LABEL_STAR(s, label) \
    ({ int returned = emit_goto(s, OP_goto, -1); \
       emit_label(s, label); \
       if (is_async) emit_op(s, OP_await); \
       emit_label(s, returned); })

#define emit_return(s, ...) PHASOR_JOIN(PHASOR_RETURN_, PHASOR_KIND(s))(s, __VA_ARGS__)
#define PHASOR_RETURN_CALL(s, has_value) \
    ({ JSFunctionDef *function = (s)->cur_func; \
       const DynBuf *code = &function->byte_code; \
       int kind = function->func_kind; \
       bool is_after_star = PHASOR_IS_IN("js_parse_assign_expr2") && code->size > 3 && code->buf[code->size - 1] == OP_nip && \
                            code->buf[code->size - 2] == OP_nip && code->buf[code->size - 3] == OP_nip; \
       if (is_after_star && kind == JS_FUNC_ASYNC_GENERATOR) function->func_kind = JS_FUNC_ASYNC; \
       emit_return(s, has_value); \
       function->func_kind = kind; })
#define PHASOR_RETURN_DEFINITION(...) emit_return(__VA_ARGS__)

#define PHASOR_WITHIN(function, call, result) \
    ({ const void *outer = phasor_function; phasor_function = function; call; phasor_function = outer; result; })

// Whether the text that this stands in is that of an `await`.
#define PHASOR_IN_AWAIT (PHASOR_IS_IN("js_async_function_resume") || PHASOR_IS_IN("js_async_generator_await"))
#define PHASOR_IS_PROMISE(value) (JS_IsObject(value) && JS_VALUE_GET_OBJ(value)->class_id == JS_CLASS_PROMISE)

#define js_promise_resolve(ctx, ...) PHASOR_JOIN(PHASOR_RESOLVE_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_RESOLVE_CALL(ctx, maker, count, values, magic) \
    ({ bool is_plain = (magic) == 0 && (PHASOR_IN_AWAIT ? phasor_is_plain(values) : !JS_IsObject(*(values))); \
       bool is_unseen = phasor_awaits(phasor_function, is_plain); \
       JSValue resolved = is_plain && is_unseen && PHASOR_IN_AWAIT \
           ? js_dup(*(values)) \
           : js_promise_resolve(ctx, maker, count, values, magic); \
       phasor_awaits(NULL, 0); \
       phasor_is_refused = PHASOR_IS_IN("js_async_function_resume") && JS_IsException(resolved); \
       phasor_is_refused ? JS_UNDEFINED : resolved; })
#define PHASOR_RESOLVE_DEFINITION(...) js_promise_resolve(__VA_ARGS__)

// The handlers of an `await`, of whose promise the text before has made a value: of a plain one there is nothing to be rejected. Where
// a loop that was left by an error awaits its iterator's `return`, both throw: `phasor_mends.h`.
#define js_async_function_resolve_create(ctx, ...) PHASOR_JOIN(PHASOR_HANDLERS_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_HANDLERS_CALL(ctx, s, handlers) \
    ({ int failed = PHASOR_IS_PROMISE(promise) ? js_async_function_resolve_create(ctx, s, handlers) \
                    : phasor_is_refused ? ((handlers)[0] = (handlers)[1] = JS_UNDEFINED, 0) \
                                        : phasor_create_handler(ctx, s, handlers); \
       if (!failed && !phasor_is_refused && unlikely(phasor_is_closing(&(s)->func_state.frame))) { \
           JS_VALUE_GET_OBJ((handlers)[0])->class_id = JS_CLASS_ASYNC_FUNCTION_REJECT; \
       } \
       failed; })
#define PHASOR_HANDLERS_DEFINITION(...) \
    js_async_function_resolve_create(__VA_ARGS__); \
    static JSValue (promise_reaction_job)(JSContext *, int, JSValueConst *); \
    /* Whether a value is none that a promise would wait for, which is told without asking it. */ \
    static bool phasor_is_plain(const void *value) { \
        if (!JS_IsObject(*(const JSValue *)value)) return true; \
        if (PHASOR_IS_PROMISE(*(const JSValue *)value)) return false; \
        for (JSObject *object = JS_VALUE_GET_OBJ(*(const JSValue *)value); object; object = object->shape->proto) { \
            JSProperty *property; \
            const JSShapeProperty *found = find_own_property(&property, object, JS_ATOM_then); \
            if (found) return (found->flags & JS_PROP_TMASK) == JS_PROP_NORMAL && !JS_IsObject(property->u.value); \
            bool is_listed = object->class_id == JS_CLASS_ARRAY || is_typed_array(object->class_id); \
            if (unlikely(object->is_exotic && !is_listed)) return false; \
        } \
        return true; \
    } \
    static int phasor_create_handler(JSContext *ctx, JSAsyncFunctionData *function, JSValue *handlers) { \
        handlers[0] = JS_NewObjectProtoClass(ctx, ctx->function_proto, JS_CLASS_ASYNC_FUNCTION_RESOLVE); \
        handlers[1] = JS_UNDEFINED; \
        if (JS_IsException(handlers[0])) return -1; \
        JS_REF_COUNT(function)++; \
        JS_VALUE_GET_OBJ(handlers[0])->u.async_function_data = function; \
        return 0; \
    } \
    static int js_async_function_resolve_create(__VA_ARGS__)

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
    static no_inline JSValue phasor_look_for_global(JSContext *ctx, JSAtom name, bool is_needed) { \
        JSProperty *property; \
        JSValue value = (JS_GetGlobalVar)(ctx, name, is_needed); \
        if (likely(!JS_IsUndefined(value)) || !is_needed) return value; \
        if (find_own_property(&property, JS_VALUE_GET_OBJ(ctx->global_var_obj), name)) return value; \
        int has = JS_HasProperty(ctx, ctx->global_obj, name); \
        if (has > 0) return value; \
        return has < 0 ? JS_EXCEPTION : JS_ThrowReferenceErrorNotDefined(ctx, name); \
    } \
    static inline JSValue phasor_get_global(JSContext *ctx, JSAtom name, bool is_needed) { \
        JSProperty *property; \
        /* Scripts declare few variables of their own there, modules none. */ \
        const JSShapeProperty *found = JS_VALUE_GET_OBJ(ctx->global_var_obj)->shape->prop_count \
            ? NULL : find_own_property(&property, JS_VALUE_GET_OBJ(ctx->global_obj), name); \
        return found && !(found->flags & JS_PROP_TMASK) ? js_dup(property->u.value) : phasor_look_for_global(ctx, name, is_needed); \
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

// What Rust may call, as `crates/js/src/engine.rs` has it: told, as a program may have the engine without this header. It stands before
// one of the engine's last functions, where all else is known.
#define js_callsite_getfield(...) \
    js_callsite_getfield(__VA_ARGS__); \
    PHASOR_SITES_BODY \
    PHASOR_THROWN_BODY \
    PHASOR_WHICH_BODY \
    PHASOR_APART_BODY \
    PHASOR_LISTENER_BODY \
    PHASOR_LOOK_BODY \
    PHASOR_LAYERS_BODY \
    PHASOR_PLAIN_BODY \
    PHASOR_BYTES_BODY \
    PHASOR_BARE_BODY \
    PHASOR_STACK_BODY \
    PHASOR_CONTEXT_BODY \
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
        int (*keep_date_text)(void *, const void *, const void *); \
        const void *(*look)(const void *, unsigned); \
        _Bool (*find)(const void *, const void *, void *, unsigned, unsigned, unsigned, void *); \
        int (*put)(void *, const void *, const void *, unsigned, const void *); \
        void (*make_like)(void *, const void *, unsigned, const void *, void *); \
        void (*make_bytes)(void *, const void *, const void *, size_t, void *); \
        void (*make_view)(void *, const void *, const void *, void *); \
        void (*make_part)(void *, const void *, const void *, int64_t, int64_t, void *); \
        void (*make_bare)(void *, unsigned, void *); \
        _Bool (*is_alone)(const void *, const void *, unsigned); \
        void (*keep_stack)(void *); \
        int (*thrown_at)(void *, const void *, void *, int *); \
        void (*function_text)(void *, const void *, void *); \
        const void *(*slots)(const void *, unsigned *); \
        int (*slot_of)(const void *, unsigned); \
        const void *(*above)(const void *); \
        _Bool (*are_as_many)(const void *, unsigned); \
        _Bool (*are_kept)(const void *, unsigned); \
        _Bool (*is_added_alone)(const void *, unsigned, const unsigned *, unsigned); \
        _Bool (*is_bare)(const void *, const void *, const unsigned *, unsigned, const void *const *, unsigned); \
        void *(*bytes)(const void *, size_t *); \
        const void *(*ascii)(const void *, size_t *); \
        int (*lines)(const void *, void *, int); \
        void (*make_latin1)(void *, const void *, size_t, void *); \
        _Bool (*has_stack)(void *); \
    } phasor_added = { \
        phasor_async_sites, phasor_set_global, phasor_share_seed, phasor_is_strict, phasor_set_property, phasor_take_listener, \
        phasor_is_registry, phasor_new_entry, phasor_drop_entry, phasor_keep_date_text, phasor_look, phasor_find, phasor_put, \
        phasor_make_like, phasor_make_bytes, phasor_make_view, phasor_make_part, phasor_make_bare, phasor_is_alone, phasor_keep_stack, \
        phasor_thrown_at, phasor_function_text, phasor_slots, phasor_slot_of, phasor_above, phasor_are_as_many, \
        phasor_are_kept, phasor_is_added_alone, phasor_is_bare, phasor_bytes, phasor_ascii, phasor_lines, phasor_make_latin1, \
        phasor_has_stack, \
    }; \
    __attribute__((constructor)) static void phasor_tell(void) { phasor_adds(&phasor_added, sizeof(phasor_added)); } \
    static JSValue js_callsite_getfield(__VA_ARGS__)

#include "phasor_errors.h"
#include "phasor_subjects.h"
#include "phasor_mends.h"
#include "phasor_natives.h"
#include "phasor_weak.h"
#include "phasor_quick.h"
#include "phasor_looks.h"
#include "phasor_memory.h"
#include "phasor_literals.h"
#include "phasor_wholes.h"
#include "phasor_walks.h"
#include "phasor_text.h"
#include "phasor_replace.h"

#endif
