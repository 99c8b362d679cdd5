// What an error is about, where the engine's words do not name it, told before the error is made. Part of `phasor_engine.h`, which says how
// calls are rewritten. The words are made of it in `crates/node/src/stack/subjects.rs`.
//
// Only who throws pays. The names of variables are those of the functions that throw; in all others those below stand in for
// them, in text that the compiler leaves out. The functions are known by their names in texts: one that a newer engine calls otherwise is not
// missed by the compiler, its errors only keep the engine's words. `conformance/errors` would tell.
static int this_obj __attribute__((unused)), obj __attribute__((unused)), obj_proto __attribute__((unused)),
    token __attribute__((unused)), desc __attribute__((unused)), prop __attribute__((unused)), *p __attribute__((unused)),
    *argv __attribute__((unused));

// Copies are told of: what is taken by its address would be kept in memory on the short paths as well.
#define PHASOR_REGARDS_IN(function, value) \
    ({ if (PHASOR_IS_IN(function)) { __typeof__(value) subject = (value); phasor_regards(&subject, &subject); } })
#define PHASOR_REGARDS_KEY(ctx, object) \
    ({ __typeof__(object) subject = (object); __typeof__(prop) key = prop; phasor_regard_key(ctx, &subject, &key); })
#define PHASOR_REGARDS_KEY_IN(function, ctx, object) ({ if (PHASOR_IS_IN(function)) PHASOR_REGARDS_KEY(ctx, object); })
#define PHASOR_THROWS(ctx, flags) (((flags) & JS_PROP_THROW) || (((flags) & JS_PROP_THROW_STRICT) && is_strict_mode(ctx)))

// The object whose property cannot be set, made or taken away, and the property's key.
#define JS_ThrowTypeErrorOrFalse(ctx, ...) PHASOR_JOIN(PHASOR_OR_FALSE_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_OR_FALSE_CALL(ctx, flags, ...) \
    ({ if (PHASOR_THROWS(ctx, flags)) { \
           PHASOR_REGARDS_KEY_IN("JS_SetPropertyInternal2", ctx, this_obj); \
           PHASOR_REGARDS_KEY_IN("JS_DefineProperty", ctx, this_obj); \
           if (PHASOR_IS_IN("JS_CreateProperty")) { __typeof__(prop) key = prop; phasor_regard_new(ctx, p, &key, true); } \
       } \
       JS_ThrowTypeErrorOrFalse(ctx, flags, __VA_ARGS__); })
#define PHASOR_OR_FALSE_DEFINITION(...) \
    JS_ThrowTypeErrorOrFalse(__VA_ARGS__); \
    static void phasor_regard_key(void *ctx, const void *object, const void *key) { \
        JSValue name = JS_AtomToValue(ctx, *(const JSAtom *)key); \
        phasor_regards(object, &name); \
        JS_FreeValue(ctx, name); \
    } \
    /* The key comes first if it is one that is defined. */ \
    static void phasor_regard_new(void *ctx, void *object, const void *key, _Bool is_defined) { \
        JSValue value = JS_MKPTR(JS_TAG_OBJECT, object), name = JS_AtomToValue(ctx, *(const JSAtom *)key); \
        if (is_defined) phasor_regards(&name, &value); \
        else phasor_regards(&value, &name); \
        JS_FreeValue(ctx, name); \
    } \
    /* As V8, which says of a symbol that it is one. */ \
    static const char *phasor_name_key(void *ctx, char *text, int size, unsigned key) { \
        bool is_symbol = JS_AtomGetKind(ctx, key) == JS_ATOM_KIND_SYMBOL; \
        int before = is_symbol ? snprintf(text, size, "Symbol(") : 0; \
        JS_AtomGetStr(ctx, text + before, size - before - 1, key); \
        return is_symbol ? strcat(text, ")") : text; \
    } \
    static int JS_ThrowTypeErrorOrFalse(__VA_ARGS__)

#define JS_ThrowTypeErrorReadOnly(ctx, ...) PHASOR_JOIN(PHASOR_READ_ONLY_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_READ_ONLY_CALL(ctx, flags, key) \
    ({ if (PHASOR_IS_IN("JS_SetPropertyInternal2") && PHASOR_THROWS(ctx, flags)) PHASOR_REGARDS_KEY(ctx, this_obj); \
       if ((PHASOR_IS_IN("set_array_length") || PHASOR_IS_IN("add_fast_array_element")) && PHASOR_THROWS(ctx, flags)) \
           phasor_regard_new(ctx, p, &(JSAtom){ key }, false); \
       JS_ThrowTypeErrorReadOnly(ctx, flags, key); })
#define PHASOR_READ_ONLY_DEFINITION(...) JS_ThrowTypeErrorReadOnly(__VA_ARGS__)

// Of a getter it is the object that has it.
#define call_setter(ctx, ...) PHASOR_JOIN(PHASOR_SETTER_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_SETTER_CALL(ctx, setter, ...) \
    ({ JSObject *called = (setter); \
       if (unlikely(!called) && PHASOR_THROWS(ctx, flags)) PHASOR_REGARDS_KEY(ctx, JS_MKPTR(JS_TAG_OBJECT, p1)); \
       call_setter(ctx, called, __VA_ARGS__); })
#define PHASOR_SETTER_DEFINITION(...) call_setter(__VA_ARGS__)

#define JS_AtomGetStr(ctx, ...) PHASOR_JOIN(PHASOR_ATOM_TEXT_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_ATOM_TEXT_CALL(ctx, text, size, atom) \
    (PHASOR_IS_IN("JS_ThrowTypeErrorAtom") ? phasor_name_key(ctx, text, size, atom) : JS_AtomGetStr(ctx, text, size, atom))
#define PHASOR_ATOM_TEXT_DEFINITION(...) \
    JS_AtomGetStr(__VA_ARGS__); \
    static void phasor_regard_key(void *ctx, const void *object, const void *key); \
    static void phasor_regard_new(void *ctx, void *object, const void *key, _Bool is_defined); \
    static const char *phasor_name_key(void *ctx, char *text, int size, unsigned key); \
    static const char *JS_AtomGetStr(__VA_ARGS__)

// What is of another class than it should be, or of none at all.
#define JS_ThrowTypeError(ctx, ...) PHASOR_JOIN(PHASOR_TYPE_ERROR_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_TYPE_ERROR_CALL(ctx, ...) \
    (PHASOR_REGARDS_KEY_IN("JS_DeleteProperty", ctx, obj), PHASOR_REGARDS_IN("JS_SetPrototypeInternal", obj), \
     PHASOR_REGARDS_IN("JS_OrdinaryIsInstanceOf", obj_proto), PHASOR_REGARDS_IN("js_obj_to_desc", desc), \
     PHASOR_REGARDS_IN("js_object_create", argv[0]), PHASOR_REGARDS_IN("engine_finrec_register", token), \
     PHASOR_REGARDS_IN("js_finrec_unregister", token), JS_ThrowTypeError(ctx, __VA_ARGS__))
#define PHASOR_TYPE_ERROR_DEFINITION(...) JS_ThrowTypeError(__VA_ARGS__)

#define JS_ThrowTypeErrorInvalidClass(ctx, class) PHASOR_JOIN(PHASOR_INVALID_, PHASOR_KIND(ctx))(ctx, class)
#define PHASOR_INVALID_CALL(ctx, class) \
    (PHASOR_REGARDS_IN("JS_GetOpaque2", obj), PHASOR_REGARDS_IN("js_get_regexp", obj), PHASOR_REGARDS_IN("js_get_array_buffer", obj), \
     JS_ThrowTypeErrorInvalidClass(ctx, class))
#define PHASOR_INVALID_DEFINITION(ctx, class) JS_ThrowTypeErrorInvalidClass(ctx, class)

#define JS_ThrowTypeErrorNotAConstructor(ctx, ...) PHASOR_JOIN(PHASOR_NO_CONSTRUCTOR_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_NO_CONSTRUCTOR_CALL(ctx, value) \
    ({ JSValueConst subject = (value); phasor_regards(&subject, &subject); JS_ThrowTypeErrorNotAConstructor(ctx, subject); })
#define PHASOR_NO_CONSTRUCTOR_DEFINITION(...) JS_ThrowTypeErrorNotAConstructor(__VA_ARGS__)

// As V8: who is no constructor is found before the arguments are looked at.
#define js_reflect_construct(...) \
    engine_reflect_construct(__VA_ARGS__); \
    static JSValue js_reflect_construct(__VA_ARGS__) { \
        if (!JS_IsConstructor(ctx, argv[0])) return JS_ThrowTypeErrorNotAConstructor(ctx, argv[0]); \
        return engine_reflect_construct(ctx, this_val, argc, argv); \
    } \
    static JSValue engine_reflect_construct(__VA_ARGS__)

#define check_function(ctx, value) PHASOR_JOIN(PHASOR_CHECK_FUNCTION_, PHASOR_KIND(ctx))(ctx, value)
#define PHASOR_CHECK_FUNCTION_CALL(ctx, value) \
    ({ JSValueConst checked = (value); \
       bool is_function = likely(JS_IsFunction(ctx, checked)); \
       if (!is_function) phasor_regards(&checked, &checked); \
       is_function ? 0 : check_function(ctx, checked); })
#define PHASOR_CHECK_FUNCTION_DEFINITION(ctx, value) check_function(ctx, value)
