// Reports the operands of an error that QuickJS's message does not name, before the error is created. Part of `phasor_engine.h`, which
// says how calls are rewritten. `crates/node/src/stack/operand_messages.rs` forms V8's message from them.
//
// Only throwing costs time. The macros use local variables of the functions that throw. In all other functions the variables below
// stand in for them, in code that the compiler removes. Functions are recognized by name, as strings: if a new version of QuickJS renames
// one, compiling does not fail, but its errors keep QuickJS's message. `conformance/errors` detects that.
static int this_obj __attribute__((unused)), obj __attribute__((unused)), obj_proto __attribute__((unused)),
    token __attribute__((unused)), desc __attribute__((unused)), prop __attribute__((unused)), *p __attribute__((unused)),
    *argv __attribute__((unused)), atom __attribute__((unused)), item __attribute__((unused)), val __attribute__((unused)),
    proto_val __attribute__((unused)), this_val __attribute__((unused)), magic __attribute__((unused)), pattern __attribute__((unused)),
    flags __attribute__((unused)), argc __attribute__((unused)), ret __attribute__((unused)), *sp __attribute__((unused)),
    opcode __attribute__((unused)), is_async __attribute__((unused)), func_obj __attribute__((unused));

// Copies are told of: what is taken by its address would be kept in memory on the short paths as well.
#define PHASOR_REGARDS_IN(function, value) \
    ({ if (PHASOR_IS_IN(function)) { __typeof__(value) subject = (value); phasor_regards(&subject, &subject); } })
#define PHASOR_REGARDS_BOTH_IN(function, left, right) \
    ({ if (PHASOR_IS_IN(function)) { \
           __typeof__(left) subject = (left); \
           __typeof__(right) other = (right); \
           phasor_regards(&subject, &other); \
       } })
#define PHASOR_REGARDS_KEY(ctx, object) \
    ({ __typeof__(object) subject = (object); __typeof__(prop) key = prop; phasor_regard_key(ctx, &subject, &key); })
#define PHASOR_REGARDS_NAMED(ctx, object, key_of) \
    ({ __typeof__(object) subject = (object); __typeof__(key_of) key = (key_of); phasor_regard_key(ctx, &subject, &key); })
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
    /* What an iterator gave back and is freed already: what had to be kept was told of before. */ \
    static void phasor_regard_result(const void *result) { \
        if (!JS_VALUE_HAS_REF_COUNT(*(const JSValueConst *)result)) phasor_regards(result, result); \
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
    static void phasor_regard_result(const void *result); \
    static const char *JS_AtomGetStr(__VA_ARGS__)

// What is of another class than it should be, or of none at all.
#define JS_ThrowTypeError(ctx, ...) PHASOR_JOIN(PHASOR_TYPE_ERROR_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_TYPE_ERROR_CALL(ctx, ...) \
    (PHASOR_REGARDS_KEY_IN("JS_DeleteProperty", ctx, obj), PHASOR_REGARDS_IN("JS_SetPrototypeInternal", obj), \
     PHASOR_REGARDS_IN("JS_OrdinaryIsInstanceOf", obj_proto), PHASOR_REGARDS_IN("js_obj_to_desc", desc), \
     PHASOR_REGARDS_IN("js_object_create", argv[0]), PHASOR_REGARDS_IN("engine_finrec_register", token), \
     PHASOR_REGARDS_IN("js_finrec_unregister", token), PHASOR_REGARDS_IN("js_generator_next", this_val), \
     PHASOR_REGARDS_IN("js_symbol_keyFor", argv[0]), PHASOR_REGARDS_KEY_IN("engine_proxy_define", ctx, obj), \
     ({ if (PHASOR_IS_IN("js_proxy_set")) PHASOR_REGARDS_NAMED(ctx, obj, atom); }), \
     ({ if (PHASOR_IS_IN("JS_IteratorNext2")) { __typeof__(obj) result = obj; phasor_regard_result(&result); } }), \
     PHASOR_REGARDS_IN("js_iterator_get_value_done", obj), \
     PHASOR_IS_IN("JS_GetIterator") && is_async ? JS_ThrowTypeError(ctx, "value is not async iterable") \
                                                : JS_ThrowTypeError(ctx, __VA_ARGS__))
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

// What is no object where there should be one.
#define JS_ThrowTypeErrorNotAnObject(ctx) PHASOR_JOIN(PHASOR_NO_OBJECT_, PHASOR_KIND(ctx))(ctx)
#define PHASOR_NO_OBJECT_CALL(ctx) \
    (PHASOR_REGARDS_IN("js_map_constructor", item), PHASOR_REGARDS_IN("js_object_fromEntries", item), \
     PHASOR_REGARDS_BOTH_IN("JS_SetPrototypeInternal", obj, proto_val), PHASOR_REGARDS_IN("JS_IteratorClose", ret), \
     ({ if (PHASOR_IS_IN("JS_CallInternal") && opcode == OP_check_object) { \
            __typeof__(sp[-1]) result = sp[-1]; \
            phasor_regards(&result, &result); \
        } }), \
     PHASOR_IS_IN("JS_IteratorClose") || (PHASOR_IS_IN("JS_CallInternal") && opcode == OP_check_object) \
         ? JS_ThrowTypeError(ctx, "iterator must return an object") \
     : PHASOR_IS_IN("JS_GetIterator2") ? JS_ThrowTypeError(ctx, "Result of the Symbol.iterator method is not an object") \
     : PHASOR_IS_IN("js_object_defineProperty") && magic ? JS_ThrowTypeError(ctx, "Reflect.defineProperty called on non-object") \
     : PHASOR_IS_IN("js_object_getPrototypeOf") && !magic ? JS_ThrowTypeError(ctx, "Cannot convert undefined or null to object") \
     : JS_ThrowTypeErrorNotAnObject(ctx))
#define PHASOR_NO_OBJECT_DEFINITION(ctx) JS_ThrowTypeErrorNotAnObject(ctx)

// Numbers that are out of range: a length, and where a view of a buffer begins and how long it is.
#define JS_ThrowRangeError(ctx, ...) PHASOR_JOIN(PHASOR_RANGE_ERROR_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_RANGE_ERROR_CALL(ctx, ...) \
    (PHASOR_REGARDS_IN("JS_ToIndex", val), \
     PHASOR_REGARDS_BOTH_IN("js_typed_array_constructor", PHASOR_ARGUMENT(1), PHASOR_ARGUMENT(2)), \
     PHASOR_REGARDS_BOTH_IN("js_dataview_constructor", PHASOR_ARGUMENT(1), PHASOR_ARGUMENT(2)), \
     PHASOR_REGARDS_IN("js_array_with", argv[0]), PHASOR_REGARDS_IN("engine_string_repeat", argv[0]), \
     JS_ThrowRangeError(ctx, __VA_ARGS__))
#define PHASOR_RANGE_ERROR_DEFINITION(...) JS_ThrowRangeError(__VA_ARGS__)
// A view of a buffer may be asked for with fewer arguments than there are.
#define PHASOR_ARGUMENT(place) (*(argc > (place) ? &argv[place] : (__typeof__(&argv[0]))(JSValueConst[]){ JS_UNDEFINED }))

#define js_string_fromCodePoint(...) \
    engine_from_code_point(__VA_ARGS__); \
    static JSValue js_string_fromCodePoint(__VA_ARGS__) { \
        for (int at = 0; at < argc && JS_IsNumber(argv[at]); at++) { \
            double point = JS_VALUE_GET_TAG(argv[at]) == JS_TAG_INT ? JS_VALUE_GET_INT(argv[at]) : JS_VALUE_GET_FLOAT64(argv[at]); \
            if (point >= 0 && point <= 0x10ffff && point == (int)point) continue; \
            phasor_regards(&argv[at], &argv[at]); \
            break; \
        } \
        return engine_from_code_point(ctx, this_val, argc, argv); \
    } \
    static JSValue engine_from_code_point(__VA_ARGS__)

// What no BigInt can be made of.
#define JS_ToBigIntCtorFree(ctx, value) PHASOR_JOIN(PHASOR_BIG_INT_, PHASOR_KIND(ctx))(ctx, value)
#define PHASOR_BIG_INT_CALL(ctx, value) \
    ({ JSValue given = (value); \
       bool is_number = JS_VALUE_GET_NORM_TAG(given) == JS_TAG_FLOAT64; \
       PHASOR_REGARDS(is_number ? !phasor_is_integer(JS_VALUE_GET_FLOAT64(given)) : phasor_is_no_number(given), given, given); \
       JS_ToBigIntCtorFree(ctx, given); })
#define PHASOR_BIG_INT_DEFINITION(ctx, value) JS_ToBigIntCtorFree(ctx, value)

#define JS_ToBigIntFree(ctx, value) PHASOR_JOIN(PHASOR_BIG_INT_ONLY_, PHASOR_KIND(ctx))(ctx, value)
#define PHASOR_BIG_INT_ONLY_CALL(ctx, value) \
    ({ JSValue given = (value); \
       PHASOR_REGARDS(JS_IsNumber(given) || phasor_is_no_number(given), given, given); \
       JS_ToBigIntFree(ctx, given); })
#define PHASOR_BIG_INT_ONLY_DEFINITION(ctx, value) JS_ToBigIntFree(ctx, value)

#define JS_StringToBigInt(ctx, value) PHASOR_JOIN(PHASOR_BIG_TEXT_, PHASOR_KIND(ctx))(ctx, value)
#define PHASOR_BIG_TEXT_CALL(ctx, value) \
    ({ JSValue given = (value), text = js_dup(given), made = JS_StringToBigInt(ctx, given); \
       PHASOR_REGARDS(PHASOR_IS_IN("JS_StringToBigIntErr") && JS_VALUE_IS_NAN(made), text, text); \
       JS_FreeValue(ctx, text); \
       made; })
#define PHASOR_BIG_TEXT_DEFINITION(parameters, value) \
    JS_StringToBigInt(parameters, value); \
    static bool phasor_is_integer(double number) { return isfinite(number) && floor(number) == number; } \
    static bool phasor_is_no_number(JSValueConst given) { \
        return JS_IsNull(given) || JS_IsUndefined(given) || JS_IsSymbol(given); \
    } \
    static JSValue JS_StringToBigInt(parameters, value)

// The pattern that cannot be read, and its flags.
#define JS_ThrowSyntaxError(ctx, ...) PHASOR_JOIN(PHASOR_SYNTAX_ERROR_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_SYNTAX_ERROR_CALL(ctx, ...) \
    (PHASOR_REGARDS_BOTH_IN("js_compile_regexp", pattern, flags), JS_ThrowSyntaxError(ctx, __VA_ARGS__))
#define PHASOR_SYNTAX_ERROR_DEFINITION(...) JS_ThrowSyntaxError(__VA_ARGS__)

// The trap of a proxy that is revoked.
#define get_proxy_method(ctx, ...) PHASOR_JOIN(PHASOR_TRAP_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_TRAP_CALL(ctx, method, proxy, trap) \
    ({ JSProxyData *parts = JS_GetOpaque(proxy, JS_CLASS_PROXY); \
       if (unlikely(parts->is_revoked)) PHASOR_REGARDS_NAMED(ctx, proxy, (JSAtom)(trap)); \
       get_proxy_method(ctx, method, proxy, trap); })
#define PHASOR_TRAP_DEFINITION(...) get_proxy_method(__VA_ARGS__)

// The class that a private method is of, by its prototype or itself, and what has no such method.
#define JS_CheckBrand(ctx, ...) PHASOR_JOIN(PHASOR_BRAND_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_BRAND_CALL(ctx, object, method) \
    ({ int is_there = JS_IsObject(object) ? JS_CheckBrand(ctx, object, method) : 0; \
       JSValue home = JS_MKPTR(JS_TAG_OBJECT, JS_VALUE_GET_OBJ(method)->u.func.home_object); \
       PHASOR_REGARDS(is_there == 0, home, object); \
       is_there; })
#define PHASOR_BRAND_DEFINITION(...) JS_CheckBrand(__VA_ARGS__)
