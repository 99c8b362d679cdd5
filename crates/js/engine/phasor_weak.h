// Fixes of `WeakRef` and `FinalizationRegistry`. Part of `phasor_engine.h`, which says how calls are rewritten.

void phasor_keeps(const void *value);

// What a `WeakRef` is made for or gives stays until the microtasks have run: `crates/js/src/weakref_roots.rs`. Nobody calls these two but by their
// names in tables, so their definitions become those of what they call.
#define js_weakref_constructor(...) \
    engine_weakref_constructor(__VA_ARGS__); \
    static JSValue js_weakref_constructor(__VA_ARGS__) { \
        JSValue made = engine_weakref_constructor(ctx, new_target, argc, argv); \
        if (!JS_IsException(made)) phasor_keeps(&argv[0]); \
        return made; \
    } \
    static JSValue engine_weakref_constructor(__VA_ARGS__)

#define js_weakref_deref(...) \
    engine_weakref_deref(__VA_ARGS__); \
    static JSValue js_weakref_deref(__VA_ARGS__) { \
        JSValue target = engine_weakref_deref(ctx, this_val, argc, argv); \
        if (JS_IsObject(target) || JS_IsSymbol(target)) phasor_keeps(&target); \
        return target; \
    } \
    static JSValue engine_weakref_deref(__VA_ARGS__)

// A registry may be the target of one of its own entries, but not the held value of that as well, as no target may: there the engine
// does not look.
#define js_finrec_register(...) \
    engine_finrec_register(__VA_ARGS__); \
    static JSValue js_finrec_register(__VA_ARGS__) { \
        bool is_itself = JS_IsObject(argv[0]) && JS_IsObject(argv[1]) && JS_IsObject(this_val) && \
            JS_VALUE_GET_OBJ(argv[0]) == JS_VALUE_GET_OBJ(this_val) && JS_VALUE_GET_OBJ(argv[1]) == JS_VALUE_GET_OBJ(this_val); \
        if (is_itself && JS_GetOpaque(this_val, JS_CLASS_FINALIZATION_REGISTRY)) \
            return JS_ThrowTypeError(ctx, "held value cannot be the target"); \
        return engine_finrec_register(ctx, this_val, argc, argv); \
    } \
    static JSValue engine_finrec_register(__VA_ARGS__)

// An entry of a FinalizationRegistry can be taken back by itself, where the engine looks at all of them. Who knows the entries
// of a token is `crates/js/src/registries.rs`.
#define js_finrec_unregister(...) \
    js_finrec_unregister(__VA_ARGS__); \
    static _Bool phasor_is_registry(const void *value) { \
        return JS_GetOpaque(*(const JSValue *)value, JS_CLASS_FINALIZATION_REGISTRY) != NULL; \
    } \
    /* The newest entry of a registry, if its token is this one. */ \
    static void *phasor_new_entry(const void *registry, const void *token) { \
        JSFinalizationRegistryData *data = JS_GetOpaque(*(const JSValue *)registry, JS_CLASS_FINALIZATION_REGISTRY); \
        if (!data || list_empty(&data->entries)) return NULL; \
        JSFinRecEntry *entry = list_entry(data->entries.prev, JSFinRecEntry, link); \
        bool is_its = JS_IsObject(entry->token) && JS_VALUE_GET_OBJ(entry->token) == JS_VALUE_GET_OBJ(*(const JSValue *)token); \
        return is_its ? entry : NULL; \
    } \
    static void phasor_drop_entry(void *ctx, void *entry) { \
        JSRuntime *rt = ((JSContext *)ctx)->rt; \
        list_del(&((JSFinRecEntry *)entry)->link); \
        delete_finrec_weakref(rt, entry); \
        js_finrec_free(rt, entry); \
    } \
    static JSValue js_finrec_unregister(__VA_ARGS__)
