// Fast paths of frequent engine operations (refcount tests, property lookup, number conversion), with the same result.
// Part of `phasor_engine.h`, which says how calls are rewritten.
//
// QuickJS calls small functions, which compilers do not inline, for the same few questions: whether a value has a refcount, where a
// property is, the number in a value, the shape of a new function, whether a variable is initialized. Inline code answers most of them.

const void *phasor_function_model(const void *ctx);

#define PHASOR_ALWAYS_INLINE __attribute__((always_inline))

#define set_value(ctx, ...) PHASOR_JOIN(PHASOR_SET_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_SET_CALL(...) set_value(__VA_ARGS__)
#define PHASOR_SET_DEFINITION(...) \
    set_value(__VA_ARGS__); \
    static JSValue phasor_peek(JSValueConst, JSAtom); \
    static JSValue phasor_joined_element(JSContext *, JSValueConst, uint32_t); \
    static inline PHASOR_ALWAYS_INLINE void set_value(__VA_ARGS__)

#define find_own_property(to, object, atom) PHASOR_JOIN(PHASOR_FIND_, PHASOR_KIND(atom))(to, object, atom)
#define PHASOR_IS_JSAtom , DEFINITION,
#define PHASOR_FIND_CALL(...) find_own_property(__VA_ARGS__)
#define PHASOR_FIND_DEFINITION(...) \
    find_own_property(__VA_ARGS__); \
    static inline PHASOR_ALWAYS_INLINE JSShapeProperty *find_own_property(__VA_ARGS__)

// Of a number there is nothing to free.
#define JS_FreeValue(ctx, ...) PHASOR_JOIN(PHASOR_FREE_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_FREE_CALL(ctx, ...) \
    ({ JSValue freed = (__VA_ARGS__); \
       if (JS_VALUE_HAS_REF_COUNT(freed)) { \
           /* What an iterator has given and is no result: the error that follows is about it. */ \
           if (PHASOR_IS_IN("JS_IteratorNext2")) phasor_regards(&freed, &freed); \
           JS_FreeValue(ctx, freed); \
       } })
#define PHASOR_FREE_DEFINITION(...) JS_FreeValue(__VA_ARGS__)

// A symbol is the name of a property as it is.
#define JS_GetPropertyValue(ctx, ...) PHASOR_JOIN(PHASOR_BY_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_BY_CALL(...) phasor_get_property(__VA_ARGS__)
#define PHASOR_BY_DEFINITION(...) \
    JS_GetPropertyValue(__VA_ARGS__); \
    static JSValue phasor_get_property(JSContext *ctx, JSValueConst object, JSValue key) { \
        if (JS_VALUE_GET_TAG(key) != JS_TAG_SYMBOL || !JS_IsObject(object)) return JS_GetPropertyValue(ctx, object, key); \
        JSProperty *property; \
        JSAtom atom = js_symbol_to_atom(ctx, key); \
        const JSShapeProperty *found = find_own_property(&property, JS_VALUE_GET_OBJ(object), atom); \
        JSValue value = found && !(found->flags & JS_PROP_TMASK) \
            ? js_dup(property->u.value) \
            : JS_GetPropertyInternal(ctx, object, atom, object, false); \
        JS_FreeValue(ctx, key); \
        return value; \
    } \
    PHASOR_PUT_BODY \
    static JSValue JS_GetPropertyValue(__VA_ARGS__)

#define JS_SetPropertyValue(ctx, ...) PHASOR_JOIN(PHASOR_PUT_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_PUT_CALL(...) phasor_put_property(__VA_ARGS__)
#define PHASOR_PUT_DEFINITION(...) \
    JS_SetPropertyValue(__VA_ARGS__); \
    static int phasor_put_property(JSContext *, JSValueConst, JSValue, JSValue, int); \
    static int JS_SetPropertyValue(__VA_ARGS__)
#define PHASOR_PUT_BODY \
    static int phasor_put_property(JSContext *ctx, JSValueConst object, JSValue key, JSValue value, int flags) { \
        JSProperty *property; \
        const JSShapeProperty *found = JS_VALUE_GET_TAG(key) == JS_TAG_SYMBOL && JS_IsObject(object) \
            ? find_own_property(&property, JS_VALUE_GET_OBJ(object), js_symbol_to_atom(ctx, key)) \
            : NULL; \
        if (!found || (found->flags & (JS_PROP_TMASK | JS_PROP_WRITABLE | JS_PROP_LENGTH)) != JS_PROP_WRITABLE) { \
            return (JS_SetPropertyValue)(ctx, object, key, value, flags); \
        } \
        set_value(ctx, &property->u.value, value); \
        JS_FreeValue(ctx, key); \
        return true; \
    }

// The length of a typed array is at hand, as long as nobody has put another `length` before the language's own.
#define JS_GetPropertyInternal(ctx, ...) PHASOR_JOIN(PHASOR_GOT_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_GOT_CALL(...) phasor_get(__VA_ARGS__)
#define PHASOR_GOT_DEFINITION(...) \
    JS_GetPropertyInternal(__VA_ARGS__); \
    static JSValue js_typed_array_get_length(JSContext *, JSValueConst); \
    static bool phasor_has_length(JSObject *array) { \
        JSProperty *property; \
        if (!is_typed_array(array->class_id)) return false; \
        for (JSObject *at = array; at && (at == array || !at->is_exotic); at = at->shape->proto) { \
            const JSShapeProperty *found = find_own_property(&property, at, JS_ATOM_length); \
            if (!found) continue; \
            const JSObject *getter = (found->flags & JS_PROP_TMASK) == JS_PROP_GETSET ? property->u.getset.getter : NULL; \
            return getter && getter->class_id == JS_CLASS_C_FUNCTION && \
                   getter->u.cfunc.c_function.getter == js_typed_array_get_length; \
        } \
        return false; \
    } \
    static inline JSValue phasor_get(JSContext *ctx, JSValueConst object, JSAtom name, JSValueConst receiver, bool is_needed) { \
        bool is_length = name == JS_ATOM_length && JS_IsObject(object) && JS_IsObject(receiver) && \
                         JS_VALUE_GET_PTR(object) == JS_VALUE_GET_PTR(receiver) && phasor_has_length(JS_VALUE_GET_OBJ(object)); \
        return is_length ? js_int32(JS_VALUE_GET_OBJ(object)->u.array.count) \
                         : JS_GetPropertyInternal(ctx, object, name, receiver, is_needed); \
    } \
    /* A method that is found without asking anybody; undefined if somebody would be asked. */ \
    static JSValue phasor_peek(JSValueConst value, JSAtom name) { \
        JSProperty *property; \
        for (JSObject *at = JS_IsObject(value) ? JS_VALUE_GET_OBJ(value) : NULL; at; at = at->shape->proto) { \
            const JSShapeProperty *found = find_own_property(&property, at, name); \
            if (found) return (found->flags & JS_PROP_TMASK) == JS_PROP_NORMAL ? js_dup(property->u.value) : JS_UNDEFINED; \
            if (at->is_exotic && at->class_id != JS_CLASS_ARRAY) return JS_UNDEFINED; \
        } \
        return JS_UNDEFINED; \
    } \
    static JSValue JS_GetPropertyInternal(__VA_ARGS__)

// Who spreads something looks at its iterator's method before it asks for that: only the second is for a program to see. Who asks for an
// iterator remembers by which name.
#define JS_GetProperty(ctx, ...) PHASOR_JOIN(PHASOR_ASK_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_ASK_CALL(ctx, object, name) \
    ({ JSAtom asked = (name); \
       JSValue got = PHASOR_IS_IN("js_append_enumerate") && asked == JS_ATOM_Symbol_iterator ? phasor_peek(object, asked) \
                                                                                             : JS_GetProperty(ctx, object, asked); \
       if (PHASOR_IS_IN("JS_GetIterator")) phasor_is_of_async = asked == JS_ATOM_Symbol_asyncIterator; \
       got; })
#define PHASOR_ASK_DEFINITION(...) JS_GetProperty(__VA_ARGS__)

// `instanceof` asks the right side how, and most have the answer of all functions.
#define PHASOR_INSTANCE_DEFINITION(...) \
    js_operator_instanceof(__VA_ARGS__); \
    static JSValue js_function_hasInstance(JSContext *, JSValueConst, int, JSValueConst *); \
    static bool phasor_is_asked_as_usual(JSValueConst class) { \
        JSProperty *property; \
        for (JSObject *at = JS_IsObject(class) ? JS_VALUE_GET_OBJ(class) : NULL; at && !at->is_exotic; at = at->shape->proto) { \
            const JSShapeProperty *found = find_own_property(&property, at, JS_ATOM_Symbol_hasInstance); \
            if (!found) continue; \
            if ((found->flags & JS_PROP_TMASK) || !JS_IsObject(property->u.value)) return false; \
            const JSObject *method = JS_VALUE_GET_OBJ(property->u.value); \
            return method->class_id == JS_CLASS_C_FUNCTION && method->u.cfunc.c_function.generic == js_function_hasInstance; \
        } \
        return false; \
    } \
    static int phasor_instanceof(JSContext *ctx, JSValue *sp) { \
        if (!phasor_is_asked_as_usual(sp[-1])) return js_operator_instanceof(ctx, sp); \
        int is_one = JS_OrdinaryIsInstanceOf(ctx, sp[-2], sp[-1]); \
        if (is_one < 0) return -1; \
        JS_FreeValue(ctx, sp[-2]); \
        JS_FreeValue(ctx, sp[-1]); \
        sp[-2] = js_bool(is_one); \
        return 0; \
    } \
    static __exception int js_operator_instanceof(__VA_ARGS__)

// Numbers of both kinds are summed up, and taken for 32 bits, as they are.
#define js_add_slow(ctx, sp) PHASOR_JOIN(PHASOR_ADD_, PHASOR_KIND(ctx))(ctx, sp)
#define PHASOR_ADD_CALL(ctx, sp) (phasor_add(sp) ? 0 : js_add_slow(ctx, sp))
#define PHASOR_ADD_DEFINITION(...) \
    js_add_slow(__VA_ARGS__); \
    static inline bool phasor_is_number(JSValue value, double *number) { \
        if (JS_VALUE_GET_TAG(value) == JS_TAG_INT) *number = JS_VALUE_GET_INT(value); \
        else if (JS_TAG_IS_FLOAT64(JS_VALUE_GET_TAG(value))) *number = JS_VALUE_GET_FLOAT64(value); \
        else return false; \
        return true; \
    } \
    static inline bool phasor_add(JSValue *sp) { \
        double left, right; \
        if (!phasor_is_number(sp[-2], &left) || !phasor_is_number(sp[-1], &right)) return false; \
        sp[-2] = js_float64(left + right); \
        return true; \
    } \
    static no_inline __exception int js_add_slow(__VA_ARGS__)

#define js_binary_logic_slow(ctx, ...) PHASOR_JOIN(PHASOR_LOGIC_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_LOGIC_CALL(ctx, sp, op) (phasor_logic(sp, op) ? 0 : js_binary_logic_slow(ctx, sp, op))
#define PHASOR_LOGIC_DEFINITION(...) \
    js_binary_logic_slow(__VA_ARGS__); \
    static inline bool phasor_is_whole(JSValue value, uint32_t *bits) { \
        double number; \
        if (!phasor_is_number(value, &number) || !(number > -0x1p62 && number < 0x1p62)) return false; \
        *bits = (uint32_t)(int64_t)number; \
        return true; \
    } \
    static inline bool phasor_logic(JSValue *sp, OPCodeEnum op) { \
        uint32_t left, right; \
        if (!phasor_is_whole(sp[-2], &left) || !phasor_is_whole(sp[-1], &right)) return false; \
        switch (op) { \
        case OP_and: left &= right; break; \
        case OP_or: left |= right; break; \
        case OP_xor: left ^= right; break; \
        default: return false; \
        } \
        sp[-2] = js_int32(left); \
        return true; \
    } \
    static no_inline __exception int js_binary_logic_slow(__VA_ARGS__)

// A slow path that takes a variable by its address would keep it in memory on the short ones as well.
#define js_unary_arith_slow(ctx, sp, op) PHASOR_JOIN(PHASOR_UNARY_, PHASOR_KIND(ctx))(ctx, sp, op)
#define PHASOR_UNARY_CALL(ctx, sp, op) \
    ({ JSValue operand = (sp)[-1]; int failed = js_unary_arith_slow(ctx, &operand + 1, op); (sp)[-1] = operand; failed; })
#define PHASOR_UNARY_DEFINITION(...) js_unary_arith_slow(__VA_ARGS__)

// Natives are called without what a script's function needs, most of them with what they ask for at least. The function that calls them
// stands right before the interpreter, which calls it most.
#define JS_CallInternal(ctx, ...) PHASOR_JOIN(PHASOR_RUN_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_RUN_CALL(...) phasor_call(__VA_ARGS__)
#define PHASOR_RUN_DEFINITION(...) \
    phasor_call(JSContext *, JSValueConst, JSValueConst, JSValueConst, int, JSValueConst *, int); \
    static JSValue JS_CallInternal(__VA_ARGS__)

#define needs_backtrace(exception) PHASOR_JOIN(PHASOR_BACKTRACE_, PHASOR_KIND(exception))(exception)
#define PHASOR_IS_JSValue , DEFINITION,
#define PHASOR_BACKTRACE_RUNTIME(exception) \
    ({ if (opcode == OP_throw) phasor_throws(ctx, b, pc, exception); \
       needs_backtrace(exception); })
#define PHASOR_BACKTRACE_DEFINITION(...) \
    needs_backtrace(__VA_ARGS__); \
    PHASOR_THROWS_BODY \
    static JSValue phasor_call_native(JSContext *ctx, JSObject *function, JSValueConst this, int argc, JSValueConst *argv, int flags) { \
        JSRuntime *rt = ctx->rt; \
        if (js_poll_interrupts(ctx)) return JS_EXCEPTION; \
        if (function->u.cfunc.cproto != JS_CFUNC_generic || argc < function->u.cfunc.length || flags || js_check_stack_overflow(rt, 0)) \
            return js_call_c_function(ctx, JS_MKPTR(JS_TAG_OBJECT, function), this, argc, argv, flags); \
        JSStackFrame frame; \
        frame.prev_frame = rt->current_stack_frame; \
        frame.cur_func = JS_MKPTR(JS_TAG_OBJECT, function); \
        frame.arg_buf = (JSValue *)argv; \
        frame.arg_count = argc; \
        frame.is_strict_mode = frame.is_constructor = false; \
        rt->current_stack_frame = &frame; \
        JSValue result = function->u.cfunc.c_function.generic(function->u.cfunc.realm, this, argc, argv); \
        rt->current_stack_frame = frame.prev_frame; \
        return result; \
    } \
    static inline PHASOR_ALWAYS_INLINE JSValue phasor_call(JSContext *ctx, JSValueConst function, JSValueConst this, \
                                                           JSValueConst target, int argc, JSValueConst *argv, int flags) { \
        return JS_IsObject(function) && JS_VALUE_GET_OBJ(function)->class_id == JS_CLASS_C_FUNCTION \
            ? phasor_call_native(ctx, JS_VALUE_GET_OBJ(function), this, argc, argv, flags) \
            : (JS_CallInternal)(ctx, function, this, target, argc, argv, flags); \
    } \
    static bool needs_backtrace(__VA_ARGS__)

// A function has the shape that it will have in the end from the beginning, where the engine looks for that shape by one
// property after the other. It is that of an object which `phasor_function_model` knows, in `crates/js/src/class.rs`.
#define PHASOR_IS_func_kind_to_class_id , FUNCTION,
#define JS_NewObjectClass(ctx, class) PHASOR_JOIN(PHASOR_NEW_, PHASOR_KIND(class))(ctx, class)
#define PHASOR_NEW_CALL(ctx, class) JS_NewObjectClass(ctx, class)
#define PHASOR_NEW_FUNCTION(ctx, class) phasor_new_function(ctx, class)

#define js_function_set_properties(ctx, ...) PHASOR_JOIN(PHASOR_NAME_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_NAME_CALL(...) phasor_name_function(__VA_ARGS__)
#define PHASOR_NAME_DEFINITION(...) \
    js_function_set_properties(__VA_ARGS__); \
    static inline PHASOR_ALWAYS_INLINE JSValue phasor_new_function(JSContext *ctx, JSClassID class) { \
        const JSValue *model = class == JS_CLASS_BYTECODE_FUNCTION ? phasor_function_model(ctx) : NULL; \
        if (!model) return JS_NewObjectClass(ctx, class); \
        JSShape *shape = js_dup_shape(JS_VALUE_GET_OBJ(*model)->shape); \
        JSValue function = JS_NewObjectFromShape(ctx, shape, class, NULL); \
        if (!JS_IsException(function)) { \
            JSProperty *properties = JS_VALUE_GET_OBJ(function)->prop; \
            properties[0].u.value = properties[1].u.value = JS_UNDEFINED; \
        } \
        return function; \
    } \
    /* Gives a new function that has no properties yet the shape of the model; false if it has no room for them. */ \
    static inline PHASOR_ALWAYS_INLINE bool phasor_reshape(JSContext *ctx, JSObject *function) { \
        const JSValue *model = phasor_function_model(ctx); \
        JSShape *shape = model ? JS_VALUE_GET_OBJ(*model)->shape : NULL; \
        if (!shape || shape->proto != function->shape->proto || shape->prop_size != function->shape->prop_size) return false; \
        js_free_shape(ctx->rt, function->shape); \
        function->shape = js_dup_shape(shape); \
        return true; \
    } \
    static inline PHASOR_ALWAYS_INLINE void phasor_name_function(JSContext *ctx, JSValue function, JSAtom name, int length) { \
        JSObject *object = JS_VALUE_GET_OBJ(function); \
        bool is_new = object->shape->prop_count == 0; \
        if (is_new ? !phasor_reshape(ctx, object) : object->class_id != JS_CLASS_BYTECODE_FUNCTION) { \
            js_function_set_properties(ctx, function, name, length); \
            return; \
        } \
        JSAtomStruct *text = __JS_AtomIsTaggedInt(name) ? NULL : ctx->rt->atom_array[name]; \
        JSValue value = text && text->atom_type == JS_ATOM_TYPE_STRING ? js_dup(JS_MKPTR(JS_TAG_STRING, text)) : JS_AtomToString(ctx, name); \
        object->prop[0].u.value = js_int32(length); \
        object->prop[1].u.value = JS_IsException(value) ? JS_UNDEFINED : value; \
    } \
    static void js_function_set_properties(__VA_ARGS__)

// A listener leaves the list of its event: `crates/js/src/emit.rs`. Functions of one shape have the property by which one stands for
// another at one place, or nowhere.
#define PHASOR_LISTENER_BODY \
    /* Takes the last of a list that is a listener, or whose property of a name is one, out of the list. Whether there was one; -1 */ \
    /* where only JavaScript can tell. */ \
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
    }

// The first object with the prototype of a class, in a shape without room for properties, that the next ones are made in as well:
// `crates/js/src/class.rs`.
#define PHASOR_BARE_BODY \
    static void phasor_make_bare(void *engine, unsigned class, void *made) { \
        JSContext *ctx = engine; \
        JSShape *shape = js_new_shape2(ctx, object_or_null(ctx->class_proto[class]), JS_PROP_INITIAL_HASH_SIZE, 0); \
        *(JSValue *)made = shape ? JS_NewObjectFromShape(ctx, shape, class, NULL) : JS_EXCEPTION; \
    } \
    /* Whether nobody but the one who asks can tell an object of a class from a new one. */ \
    static _Bool phasor_is_alone(const void *engine, const void *value, unsigned class) { \
        const JSContext *ctx = engine; \
        const JSObject *object = JS_VALUE_GET_OBJ(*(const JSValue *)value); \
        return JS_REF_COUNT(object) == 1 && !object->first_weak_ref && object->extensible && \
               object->shape->prop_count == 0 && object->shape->proto == object_or_null(ctx->class_proto[class]); \
    }

// The engine looks at the stack before it calls a native, but not before one that it was given values for.
#define PHASOR_STACK_BODY \
    static _Bool phasor_has_stack(void *engine) { \
        JSContext *ctx = engine; \
        if (likely(!js_check_stack_overflow(ctx->rt, 0))) return true; \
        JS_ThrowStackOverflow(ctx); \
        return false; \
    }

// Bytes for scripts, with a prototype: `crates/js/src/bytes.rs`.
#define PHASOR_BYTES_BODY \
    /* The reference to the buffer is the array's then. */ \
    static JSValue phasor_view(JSContext *ctx, JSValueConst prototype, JSValue buffer, size_t from, size_t count) { \
        JSValue array = JS_IsException(buffer) ? buffer : JS_NewObjectProtoClass(ctx, prototype, JS_CLASS_UINT8_ARRAY); \
        if (JS_IsException(array)) { \
            JS_FreeValue(ctx, buffer); \
        } else if (typed_array_init(ctx, array, buffer, from, count, false)) { \
            JS_FreeValue(ctx, array); \
            array = JS_EXCEPTION; \
        } \
        return array; \
    } \
    static JSValue phasor_copy(JSContext *ctx, const void *bytes, size_t count) { \
        void *copy = js_malloc(ctx, count ? count : 1); \
        if (!copy) return JS_EXCEPTION; \
        memcpy(copy, bytes, count); \
        JSValue buffer = js_array_buffer_constructor3( \
            ctx, JS_UNDEFINED, count, NULL, JS_CLASS_ARRAY_BUFFER, copy, js_array_buffer_realloc, NULL, false); \
        if (JS_IsException(buffer)) js_free(ctx, copy); \
        return buffer; \
    } \
    static void phasor_make_bytes(void *engine, const void *prototype, const void *bytes, size_t count, void *made) { \
        JSValue buffer = phasor_copy(engine, bytes, count); \
        *(JSValue *)made = phasor_view(engine, *(const JSValue *)prototype, buffer, 0, count); \
    } \
    static void phasor_make_view(void *engine, const void *prototype, const void *buffer, void *made) { \
        const JSValue whole = *(const JSValue *)buffer; \
        size_t count = JS_VALUE_GET_OBJ(whole)->u.array_buffer->byte_length; \
        *(JSValue *)made = phasor_view(engine, *(const JSValue *)prototype, js_dup(whole), 0, count); \
    } \
    static int64_t phasor_place_in(int64_t place, int64_t length) { \
        if (place < 0) place += length; \
        return place < 0 ? 0 : place > length ? length : place; \
    } \
    static void phasor_make_part(void *engine, const void *prototype, const void *whole, int64_t from, int64_t to, void *made) { \
        const JSValue *value = whole; \
        JSObject *array = JS_IsObject(*value) ? JS_VALUE_GET_OBJ(*value) : NULL; \
        *(JSValue *)made = JS_UNDEFINED; \
        if (!array || array->class_id != JS_CLASS_UINT8_ARRAY) return; \
        /* Own properties, and those of a subclass, may hide the accessors that JavaScript reads: `length`, `buffer`, `byteOffset`. */ \
        if (array->shape->prop_count || array->shape->proto != JS_VALUE_GET_OBJ(*(const JSValue *)prototype)) return; \
        const JSTypedArray *view = array->u.typed_array; \
        if (view->track_rab || view->buffer->u.array_buffer->detached) return; \
        from = phasor_place_in(from, array->u.array.count); \
        to = phasor_place_in(to, array->u.array.count); \
        JSValue buffer = js_dup(JS_MKPTR(JS_TAG_OBJECT, view->buffer)); \
        *(JSValue *)made = phasor_view(engine, *(const JSValue *)prototype, buffer, view->offset + from, to > from ? to - from : 0); \
    }

// Each value in Rust counts its context, and gives it up again.
#define JS_FreeContext(...) engine_free_context(__VA_ARGS__)
#define PHASOR_CONTEXT_BODY \
    JS_EXTERN void (JS_FreeContext)(JSContext *ctx) { \
        if (likely(JS_REF_COUNT(ctx) > 1)) JS_REF_COUNT(ctx)--; \
        else engine_free_context(ctx); \
    }

// A variable of `let` or `const` is asked at each use whether it has been initialized. Here the code of a function is walked until
// it is known which ones surely have been, wherever it comes to: those are not asked, and the engine has shorter forms for them. One
// that is never asked is not made uninitialized at the head of its scope either.
//
// A set of variables is a row of bits. At a label it is what all who jump there have in common: `there` has one for each label, with
// everything in it until somebody comes, and `here` is the one that goes along with the code.
#define resolve_labels(ctx, s) PHASOR_JOIN(PHASOR_LABELS_, PHASOR_KIND(ctx))(ctx, s)
#define PHASOR_LABELS_CALL(ctx, s) (phasor_shorten(s, NULL), phasor_ask_less(ctx, s) ? -1 : resolve_labels(ctx, s))
#define PHASOR_LABELS_DEFINITION(...) \
    resolve_labels(__VA_ARGS__); \
    typedef struct { \
        uint64_t *there, *here, *asked; \
        bool *is_reached, *is_passed; \
        size_t words; \
        bool is_live, is_over; \
    } PhasorWalk; \
    static void phasor_jump(PhasorWalk *walk, uint32_t label) { \
        uint64_t *there = walk->there + label * walk->words, lost = !walk->is_reached[label]; \
        for (size_t i = 0; i < walk->words; i++) { \
            lost |= there[i] & ~walk->here[i]; \
            there[i] &= walk->here[i]; \
        } \
        walk->is_reached[label] = true; \
        if (lost && walk->is_passed[label]) walk->is_over = false; \
    } \
    static void phasor_arrive(PhasorWalk *walk, uint32_t label) { \
        if (walk->is_live) phasor_jump(walk, label); \
        walk->is_passed[label] = true; \
        walk->is_live = walk->is_reached[label]; \
        memcpy(walk->here, walk->there + label * walk->words, walk->words * sizeof(uint64_t)); \
    } \
    static void phasor_visit(PhasorWalk *walk, uint8_t *code, bool is_last) { \
        int variable = get_u16(code + 1); \
        uint64_t bit = 1ull << variable % 64, *here = walk->here + variable / 64; \
        bool is_known = walk->is_live && (*here & bit); \
        if (*code == OP_put_loc) *here |= bit; \
        else if (*code == OP_set_loc_uninitialized) *here &= ~bit; \
        else if (*code == OP_get_loc || *code == OP_set_loc || !is_last) return; \
        else if (*code == OP_get_loc_check && is_known) *code = OP_get_loc; \
        else if (*code == OP_put_loc_check && is_known) *code = OP_put_loc; \
        else walk->asked[variable / 64] |= bit; \
    } \
    static void phasor_walk(PhasorWalk *walk, uint8_t *code, const uint8_t *end, bool is_last) { \
        walk->is_live = walk->is_over = true; \
        memset(walk->here, 0, walk->words * sizeof(uint64_t)); \
        for (; code < end; code += opcode_info[*code].size) { \
            int format = opcode_info[*code].fmt; \
            if (*code == OP_label) phasor_arrive(walk, get_u32(code + 1)); \
            else if (format == OP_FMT_loc) phasor_visit(walk, code, is_last); \
            else if (format == OP_FMT_label && walk->is_live) phasor_jump(walk, get_u32(code + 1)); \
            else if (format == OP_FMT_atom_label_u8 && walk->is_live) phasor_jump(walk, get_u32(code + 5)); \
            if (*code == OP_goto || *code == OP_ret || *code == OP_return || *code == OP_return_undef || *code == OP_throw) \
                walk->is_live = false; \
        } \
    } \
    /* Leaves out the marks of variables that nobody asks for, where that is known. `undefined` is a variable of the global object, which */ \
    /* nobody can change: it need not be looked for, and the engine has shorter forms for what is compared with it. */ \
    static void phasor_shorten(JSFunctionDef *function, const uint64_t *asked) { \
        uint8_t *code = function->byte_code.buf, *end = code + function->byte_code.size, *to = code; \
        for (int size; code < end; code += size) { \
            size = opcode_info[*code].size; \
            if ((*code == OP_get_var || *code == OP_get_var_undef) && get_u32(code + 1) == JS_ATOM_undefined) { \
                *to++ = OP_undefined; \
                continue; \
            } \
            bool is_mark = asked && *code == OP_set_loc_uninitialized; \
            if (is_mark && !(asked[get_u16(code + 1) / 64] >> get_u16(code + 1) % 64 & 1)) continue; \
            if (to != code) memmove(to, code, size); \
            to += size; \
            if (*(to - size) == OP_label) function->label_slots[get_u32(to - 4)].pos2 = to - function->byte_code.buf; \
        } \
        function->byte_code.size = to - function->byte_code.buf; \
    } \
    static int phasor_ask_less(JSContext *ctx, JSFunctionDef *function) { \
        enum { kMostWords = 1 << 20 }; \
        bool has_lexical = false; \
        size_t labels = function->label_count, words = (function->var_count + 63) / 64, all = (labels + 2) * words; \
        for (int i = 0; i < function->var_count; i++) has_lexical |= function->vars[i].is_lexical; \
        if (!has_lexical || all > kMostWords) return 0; \
        uint64_t *sets = js_mallocz(ctx, all * sizeof(uint64_t) + 2 * labels); \
        if (!sets) return -1; \
        bool *is_reached = (bool *)(sets + all); \
        PhasorWalk walk = { sets + 2 * words, sets, sets + words, is_reached, is_reached + labels, words, true, labels == 0 }; \
        memset(walk.there, 0xff, labels * words * sizeof(uint64_t)); \
        for (int i = 0; i < function->var_count; i++) { \
            if (function->vars[i].is_captured) walk.asked[i / 64] |= 1ull << i % 64; \
        } \
        uint8_t *code = function->byte_code.buf, *end = code + function->byte_code.size; \
        while (!walk.is_over) phasor_walk(&walk, code, end, false); \
        phasor_walk(&walk, code, end, true); \
        phasor_shorten(function, walk.asked); \
        js_free(ctx, sets); \
        return 0; \
    } \
    static __exception int resolve_labels(__VA_ARGS__)
