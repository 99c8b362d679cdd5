// Faster enumeration of all own properties of a plain object (spread, `Object.keys`), with the same result.
// Part of `phasor_engine.h`, which says how calls are rewritten.
//
// QuickJS lists the names of an object, then looks up each name, then gets its value. An object that has only data properties, and no
// integer keys, stores them in this order in its shape, so they can be read directly without running a getter.

#define JS_GetOwnPropertyNames2(ctx, ...) PHASOR_JOIN(PHASOR_NAMES_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_NAMES_CALL(...) phasor_list(__VA_ARGS__)
#define PHASOR_NAMES_DEFINITION(...) \
    phasor_list(JSContext *, JSValueConst, int, int); \
    static JSValue JS_GetOwnPropertyNames2(__VA_ARGS__)

#define PHASOR_WHOLES_BODY \
    static bool phasor_is_plain_name(JSContext *ctx, JSAtom name) { \
        if (__JS_AtomIsTaggedInt(name)) return false; \
        JSAtomStruct *text = ctx->rt->atom_array[name]; \
        if (text->atom_type != JS_ATOM_TYPE_STRING) return JS_AtomGetKind(ctx, name) == JS_ATOM_KIND_SYMBOL; \
        return text->len == 0 || string_get(text, 0) < '0' || string_get(text, 0) > '9'; \
    } \
    /* Whether an object has nothing but values, under such names. */ \
    static bool phasor_is_plain_whole(JSContext *ctx, JSValueConst value) { \
        const JSObject *object = JS_IsObject(value) ? JS_VALUE_GET_OBJ(value) : NULL; \
        if (!object || object->class_id != JS_CLASS_OBJECT || object->is_exotic) return false; \
        const JSShapeProperty *own = get_shape_prop(object->shape); \
        for (int at = 0; at < object->shape->prop_count; at++) { \
            if (own[at].atom == JS_ATOM_NULL) continue; \
            if ((own[at].flags & JS_PROP_TMASK) != JS_PROP_NORMAL || !phasor_is_plain_name(ctx, own[at].atom)) return false; \
        } \
        return true; \
    } \
    /* Gives an object without properties those of another, in its shape. Whether that can be: there are no others among them. */ \
    static int phasor_copy_shape(JSContext *ctx, JSObject *to, const JSObject *from) { \
        JSShape *shape = from->shape, *before = to->shape; \
        if (before->prop_count || !shape->prop_count || before->proto != shape->proto || !shape->is_hashed || to->is_prototype) return 0; \
        const JSShapeProperty *own = get_shape_prop(shape); \
        for (int at = 0; at < shape->prop_count; at++) if (own[at].atom == JS_ATOM_NULL || own[at].flags != JS_PROP_C_W_E) return 0; \
        JSProperty *room = js_realloc(ctx, to->prop, sizeof(*room) * shape->prop_size); \
        if (!room) return -1; \
        for (int at = 0; at < shape->prop_count; at++) room[at].u.value = js_dup(from->prop[at].u.value); \
        to->prop = room; \
        to->shape = js_dup_shape(shape); \
        js_free_shape(ctx->rt, before); \
        return 1; \
    } \
    /* Whether setting the properties of an object in a new one would do no more than add them. */ \
    static bool phasor_is_set_plainly(const JSObject *to, const JSObject *from) { \
        JSProperty *property; \
        JSObject *above = to->shape->proto; \
        if (to->shape->prop_count || !above || above->is_exotic || above->shape->proto) return false; \
        const JSShapeProperty *own = get_shape_prop(from->shape); \
        for (int at = 0; at < from->shape->prop_count; at++) if (find_own_property(&property, above, own[at].atom)) return false; \
        return true; \
    } \
    /* Copies what is listed of a plain object to another; -1 if that fails, 0 if only the engine can. */ \
    static int phasor_copy_whole(JSContext *ctx, JSValueConst target, JSValueConst source, JSValueConst excluded, bool is_set) { \
        if (!phasor_is_plain_whole(ctx, source) || !JS_IsObject(target)) return 0; \
        JSObject *to = JS_VALUE_GET_OBJ(target), *from = JS_VALUE_GET_OBJ(source); \
        bool is_plain = to != from && to->class_id == JS_CLASS_OBJECT && !to->is_exotic && to->extensible; \
        if (!is_plain || (is_set && !phasor_is_set_plainly(to, from))) return 0; \
        int copied = JS_IsObject(excluded) ? 0 : phasor_copy_shape(ctx, to, from); \
        if (copied) return copied; \
        JSShape *shape = from->shape; \
        for (int at = 0; at < shape->prop_count; at++) { \
            JSShapeProperty own = get_shape_prop(shape)[at]; \
            JSProperty *property; \
            if (own.atom == JS_ATOM_NULL || !(own.flags & JS_PROP_ENUMERABLE)) continue; \
            if (JS_IsObject(excluded) && find_own_property(&property, JS_VALUE_GET_OBJ(excluded), own.atom)) continue; \
            if (phasor_define(ctx, target, own.atom, js_dup(from->prop[at].u.value), JS_PROP_C_W_E) < 0) return -1; \
        } \
        return 1; \
    } \
    static JSValue phasor_list(JSContext *ctx, JSValueConst value, int flags, int kind) { \
        if (flags != (JS_GPN_ENUM_ONLY | JS_GPN_STRING_MASK) || !phasor_is_plain_whole(ctx, value)) \
            return (JS_GetOwnPropertyNames2)(ctx, value, flags, kind); \
        const JSObject *object = JS_VALUE_GET_OBJ(value); \
        const JSShapeProperty *own = get_shape_prop(object->shape); \
        JSValue list = js_allocate_fast_array(ctx, object->shape->prop_count); \
        uint32_t count = 0; \
        for (int at = 0; !JS_IsException(list) && at < object->shape->prop_count; at++) { \
            JSAtomStruct *name = ctx->rt->atom_array[own[at].atom]; \
            bool is_listed = own[at].atom != JS_ATOM_NULL && (own[at].flags & JS_PROP_ENUMERABLE) && name->atom_type == JS_ATOM_TYPE_STRING; \
            if (!is_listed) continue; \
            JSValueConst pair[] = { JS_MKPTR(JS_TAG_STRING, name), object->prop[at].u.value }; \
            JSValue entry = kind == JS_ITERATOR_KIND_KEY_AND_VALUE ? js_create_array(ctx, 2, pair) : js_dup(pair[kind == JS_ITERATOR_KIND_VALUE]); \
            if (JS_IsException(entry)) set_value(ctx, &list, entry); \
            else JS_VALUE_GET_OBJ(list)->u.array.u.values[count++] = entry; \
        } \
        if (JS_IsException(list)) return list; \
        JS_VALUE_GET_OBJ(list)->u.array.count = count; \
        JS_VALUE_GET_OBJ(list)->prop[0].u.value = js_int32(count); \
        return list; \
    }
