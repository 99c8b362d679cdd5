// Faster object and function literals, with the same result. Part of `phasor_engine.h`, which explains how the engine's calls are
// rewritten by macros.

// A property of a literal is added: neither has a plain object it yet, nor does it mind. So is one of an iterator's result.
#define PHASOR_DEFINES(ctx, object, ...) \
    (PHASOR_IS_IN("JS_CallInternal") || PHASOR_IS_IN("js_create_iterator_result") \
         ? phasor_define(ctx, object, __VA_ARGS__) : JS_DefinePropertyValue(ctx, object, __VA_ARGS__))

#define JS_CreateProperty(ctx, ...) PHASOR_JOIN(PHASOR_PROPERTY_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_PROPERTY_CALL(...) JS_CreateProperty(__VA_ARGS__)
#define PHASOR_PROPERTY_DEFINITION(...) \
    phasor_define(JSContext *, JSValueConst, JSAtom, JSValue, int); \
    static int JS_CreateProperty(__VA_ARGS__)

// A function that is given to a variable or a property gets its name, where it has an empty one.
#define JS_DefineObjectName(ctx, ...) PHASOR_JOIN(PHASOR_NAMED_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_NAMED_CALL(ctx, object, name, flags) \
    (phasor_is_nameless(object, flags) ? phasor_call_it(ctx, object, name) : JS_DefineObjectName(ctx, object, name, flags))
#define PHASOR_NAMED_DEFINITION(...) \
    JS_DefineObjectName(__VA_ARGS__); \
    static int phasor_define(JSContext *ctx, JSValueConst to, JSAtom name, JSValue value, int flags) { \
        JSProperty *property; \
        JSObject *object = JS_IsObject(to) ? JS_VALUE_GET_OBJ(to) : NULL; \
        bool is_plain = object && object->class_id == JS_CLASS_OBJECT && !object->is_exotic && object->extensible; \
        if (!is_plain || find_own_property(&property, object, name)) return (JS_DefinePropertyValue)(ctx, to, name, value, flags); \
        property = add_property(ctx, object, name, flags & JS_PROP_C_W_E); \
        if (unlikely(!property)) { \
            JS_FreeValue(ctx, value); \
            return -1; \
        } \
        property->u.value = value; \
        return 1; \
    } \
    /* Whether a value is a function in the shape that functions are made in, whose second property is the name. */ \
    static bool phasor_is_nameless(JSValueConst value, int flags) { \
        if (!JS_IsObject(value) || flags != JS_PROP_CONFIGURABLE) return false; \
        const JSObject *function = JS_VALUE_GET_OBJ(value); \
        if (function->class_id != JS_CLASS_BYTECODE_FUNCTION || function->shape->prop_count < 2) return false; \
        const JSShapeProperty *second = get_shape_prop(function->shape) + 1; \
        JSValue name = function->prop[1].u.value; \
        return second->atom == JS_ATOM_name && second->flags == JS_PROP_CONFIGURABLE && \
               JS_VALUE_GET_TAG(name) == JS_TAG_STRING && JS_VALUE_GET_STRING(name)->len == 0; \
    } \
    static int phasor_call_it(JSContext *ctx, JSValueConst function, JSAtom name) { \
        if (name == JS_ATOM_NULL) return 0; \
        JSValue text = JS_AtomToString(ctx, name); \
        if (JS_IsException(text)) return -1; \
        set_value(ctx, &JS_VALUE_GET_OBJ(function)->prop[1].u.value, text); \
        return 0; \
    } \
    static int JS_DefineObjectName(__VA_ARGS__)

// The shapes of plain objects outlive the last object that has them: the same literal is most often evaluated again, and would make each
// of them anew. The last so many are kept, until the next look for garbage. Of others, which inherit more than what all objects do,
// none is, as it would hold what they inherit.
#define PHASOR_KEPT_SHAPES 128
#define js_free_shape(rt, shape) PHASOR_JOIN(PHASOR_SHAPE_, PHASOR_KIND(rt))(rt, shape)
#define PHASOR_SHAPE_CALL(rt, shape) phasor_free_shape(rt, shape)
#define PHASOR_SHAPE_RUNTIME(rt, shape) phasor_free_shape(rt, shape)
#define PHASOR_SHAPE_DEFINITION(...) \
    phasor_free_shape(JSRuntime *, JSShape *); \
    static void js_free_shape(__VA_ARGS__)
#define js_free_shape0(rt, shape) PHASOR_JOIN(PHASOR_SHAPE_END_, PHASOR_KIND(rt))(rt, shape)
#define PHASOR_SHAPE_END_RUNTIME(rt, shape) js_free_shape0(rt, shape)
#define PHASOR_SHAPE_END_DEFINITION(...) \
    js_free_shape0(__VA_ARGS__); \
    static _Thread_local struct { JSRuntime *rt; unsigned next; bool is_dropping; JSShape *shapes[PHASOR_KEPT_SHAPES]; } phasor_kept; \
    /* Keeps the last reference to a shape, in the place of the one that was kept longest. */ \
    static bool phasor_keep_shape(JSRuntime *rt, JSShape *shape) { \
        bool is_plain = shape->is_hashed && shape->proto && shape->proto->shape && !shape->proto->shape->proto; \
        if (!is_plain || rt->gc_phase == JS_GC_PHASE_REMOVE_CYCLES || rt->in_free || phasor_kept.is_dropping) return false; \
        if (unlikely(phasor_kept.rt != rt)) { \
            if (phasor_kept.rt) return false; \
            phasor_kept.rt = rt; \
        } \
        JSShape **place = &phasor_kept.shapes[phasor_kept.next++ % PHASOR_KEPT_SHAPES], *oldest = *place; \
        *place = shape; \
        if (oldest && --JS_REF_COUNT(oldest) == 0) (js_free_shape0)(rt, oldest); \
        return true; \
    } \
    static void phasor_drop_shapes(JSRuntime *rt) { \
        if (phasor_kept.rt != rt) return; \
        /* What goes with a shape may be the last object of another: that is not kept, as its place may be behind us. */ \
        phasor_kept.is_dropping = true; \
        for (unsigned at = 0; at < PHASOR_KEPT_SHAPES; at++) { \
            JSShape *shape = phasor_kept.shapes[at]; \
            phasor_kept.shapes[at] = NULL; \
            if (shape && --JS_REF_COUNT(shape) == 0) (js_free_shape0)(rt, shape); \
        } \
        phasor_kept.is_dropping = false; \
        phasor_kept.rt = NULL; \
    } \
    static void phasor_free_shape(JSRuntime *rt, JSShape *shape) { \
        if (likely(JS_REF_COUNT(shape) > 1)) JS_REF_COUNT(shape)--; \
        else if (!phasor_keep_shape(rt, shape)) (js_free_shape)(rt, shape); \
    } \
    static void js_free_shape0(__VA_ARGS__)

#define gc_decref(rt) PHASOR_JOIN(PHASOR_GARBAGE_, PHASOR_KIND(rt))(rt)
#define PHASOR_GARBAGE_RUNTIME(rt) (phasor_drop_shapes(rt), gc_decref(rt))
#define PHASOR_GARBAGE_DEFINITION(...) \
    phasor_drop_shapes(JSRuntime *); \
    static void gc_decref(__VA_ARGS__)
