// Property guards and prototype guards for native fast paths: property loads that never run JavaScript, singly or in batches. Part of
// `phasor_engine.h`.

// What Rust looks at without a reference, and what it makes in the shape of something else: `crates/js/src/keys.rs`.
#define PHASOR_LOOK_BODY \
    /* Where the value of a property is, which the object has or inherits, or an undefined one; null where only the engine's own */ \
    /* way can tell. */ \
    static const JSValue phasor_nothing = { .tag = JS_TAG_UNDEFINED }; \
    static const void *phasor_look(const void *value, unsigned name) { \
        for (JSObject *object = JS_VALUE_GET_OBJ(*(const JSValue *)value); object; object = object->shape->proto) { \
            JSProperty *property; \
            const JSShapeProperty *found = find_own_property(&property, object, name); \
            if (found) return (found->flags & JS_PROP_TMASK) == JS_PROP_NORMAL ? &property->u.value : NULL; \
            if (unlikely(object->is_exotic)) return NULL; \
        } \
        return &phasor_nothing; \
    } \
    /* Whether a value is what is wanted: the same object, or the same number. */ \
    static inline _Bool phasor_is(JSValue value, JSValue wanted) { \
        if (unlikely(JS_VALUE_GET_TAG(value) != JS_VALUE_GET_TAG(wanted))) { \
            return JS_TAG_IS_FLOAT64(JS_VALUE_GET_TAG(value)) && JS_VALUE_GET_TAG(wanted) == JS_TAG_INT && \
                JS_VALUE_GET_FLOAT64(value) == JS_VALUE_GET_INT(wanted); \
        } \
        if (unlikely(JS_TAG_IS_FLOAT64(JS_VALUE_GET_TAG(value)))) return JS_VALUE_GET_FLOAT64(value) == JS_VALUE_GET_FLOAT64(wanted); \
        return JS_VALUE_HAS_REF_COUNT(value) ? JS_VALUE_GET_PTR(value) == JS_VALUE_GET_PTR(wanted) \
                                             : JS_VALUE_GET_INT(value) == JS_VALUE_GET_INT(wanted); \
    } \
    /* One look of many. It remembers where it found a property the last time: at which place of the object, or else of which prototype */ \
    /* above. If that has the name still, it is there. */ \
    typedef struct { \
        uint8_t kind, from, to, past; \
        unsigned name, own; \
        uint16_t level, place; \
        union { JSValue value; int32_t bits[2]; } wanted; \
    } PhasorStep; \
    _Static_assert(sizeof(PhasorStep) == 32, "as `looks.rs` has it"); \
    static inline const JSValue *phasor_value_at(JSObject *object, unsigned place, unsigned name) { \
        JSShape *shape = object->shape; \
        if (place >= (unsigned)shape->prop_count) return NULL; \
        const JSShapeProperty *found = get_shape_prop(shape) + place; \
        return found->atom == name && (found->flags & JS_PROP_TMASK) == JS_PROP_NORMAL ? &object->prop[place].u.value : NULL; \
    } \
    static no_inline const JSValue *phasor_look_far(PhasorStep *step, JSObject *object) { \
        enum { kNowhere = 0xffff }; \
        JSProperty *property; \
        for (unsigned level = 0; object; level++, object = object->shape->proto) { \
            const JSValue *known = level > 0 && level == step->level ? phasor_value_at(object, step->place, step->name) : NULL; \
            if (known) return known; \
            const JSShapeProperty *found = find_own_property(&property, object, step->name); \
            if (found) { \
                unsigned place = property - object->prop; \
                if (level == 0) step->own = place; \
                step->level = level < kNowhere ? level : 0; \
                step->place = place < kNowhere ? place : kNowhere; \
                return (found->flags & JS_PROP_TMASK) == JS_PROP_NORMAL ? &property->u.value : NULL; \
            } \
            if (unlikely(object->is_exotic)) return NULL; \
        } \
        return &phasor_nothing; \
    } \
    /* Looks at many properties of objects that are there from the beginning, or were found on the way. Whether all is as it should */ \
    /* be; what was found has references then. No script runs. */ \
    static _Bool phasor_find(const void *engine, const void *runtime, void *steps, unsigned count, unsigned given, \
                             unsigned found, void *values) { \
        enum { kAny, kObject, kNumber, kIs, kNothing, kNot, kBits, kLike, kKnown }; \
        JSValue *seen = values; \
        if (unlikely(((const JSContext *)engine)->rt != runtime)) return false; \
        for (PhasorStep *step = steps, *end = step + count; step < end; step++) { \
            JSObject *object = JS_VALUE_GET_OBJ(seen[step->from]); \
            const JSValue *at; \
            _Bool is_so = true; \
            if (step->kind >= kLike) { \
                if (step->kind == kLike) is_so = object->shape == JS_VALUE_GET_OBJ(step->wanted.value)->shape && !object->is_exotic; \
                else seen[step->to] = step->wanted.value; \
            } else { \
                at = phasor_value_at(object, step->own, step->name); \
                if (!at) at = phasor_look_far(step, object); \
                if (unlikely(!at)) return false; \
                if (step->kind == kIs) { \
                    is_so = phasor_is(*at, step->wanted.value); \
                } else { \
                    int tag = JS_VALUE_GET_TAG(*at); \
                    seen[step->to] = *at; \
                    if (step->kind == kObject) is_so = tag == JS_TAG_OBJECT; \
                    else if (step->kind == kNumber) is_so = tag == JS_TAG_INT || JS_TAG_IS_FLOAT64(tag); \
                    else if (step->kind == kNothing) is_so = tag == JS_TAG_UNDEFINED || tag == JS_TAG_NULL; \
                    else if (step->kind == kNot) is_so = tag == JS_TAG_UNDEFINED || (tag == JS_TAG_BOOL && !JS_VALUE_GET_BOOL(*at)); \
                    else if (step->kind == kBits) \
                        is_so = tag == JS_TAG_INT && (JS_VALUE_GET_INT(*at) & step->wanted.bits[0]) == step->wanted.bits[1]; \
                } \
            } \
            if (likely(is_so)) step += step->past; \
            else if (!step->past) return false; \
        } \
        for (unsigned at = given; at < found; at++) js_dup(seen[at]); \
        return true; \
    } \
    /* Sets a property as an assignment in strict code does; not in another runtime. */ \
    static int phasor_put(void *ctx, const void *runtime, const void *object, unsigned name, const void *value) { \
        enum { kAnother = -2 }; \
        JSProperty *property; \
        if (unlikely(((JSContext *)ctx)->rt != runtime)) return kAnother; \
        JSValue to = *(const JSValue *)object, new = js_dup(*(const JSValue *)value); \
        const JSShapeProperty *found = find_own_property(&property, JS_VALUE_GET_OBJ(to), name); \
        if (!found || (found->flags & (JS_PROP_TMASK | JS_PROP_WRITABLE | JS_PROP_LENGTH)) != JS_PROP_WRITABLE) { \
            return JS_SetPropertyInternal(ctx, to, name, new, JS_PROP_THROW); \
        } \
        set_value(ctx, &property->u.value, new); \
        return 1; \
    } \
    /* Makes an object with the prototype and the properties of a model, which have other values. Undefined if it is no model for so */ \
    /* many: a plain object with nothing but values, in a shape that others may have. */ \
    static void phasor_make_like(void *ctx, const void *model, unsigned count, const void *values, void *made) { \
        JSObject *like = JS_VALUE_GET_OBJ(*(const JSValue *)model); \
        JSShape *shape = like->shape; \
        const JSShapeProperty *kinds = get_shape_prop(shape); \
        bool is_model = like->class_id == JS_CLASS_OBJECT && shape->is_hashed && shape->prop_count == count; \
        for (unsigned i = 0; is_model && i < count; i++) is_model = (kinds[i].flags & JS_PROP_TMASK) == JS_PROP_NORMAL; \
        JSValue object = is_model ? JS_NewObjectFromShape(ctx, js_dup_shape(shape), JS_CLASS_OBJECT, NULL) : JS_UNDEFINED; \
        if (JS_IsObject(object)) { \
            JSProperty *properties = JS_VALUE_GET_OBJ(object)->prop; \
            for (unsigned i = 0; i < count; i++) properties[i].u.value = js_dup(((const JSValue *)values)[i]); \
        } \
        *(JSValue *)made = object; \
    }

// Layers of JavaScript that natives skip where nobody has changed them: `crates/js/src/proto_guard.rs`.
#define PHASOR_LAYERS_BODY \
    /* Where the values and accessors of an object are, and how many there are. */ \
    static const void *phasor_slots(const void *value, unsigned *count) { \
        const JSObject *object = JS_VALUE_GET_OBJ(*(const JSValue *)value); \
        *count = object->shape->prop_count; \
        return object->prop; \
    } \
    /* Which of them is an object's own property of a name; -1 if it has none. */ \
    static int phasor_slot_of(const void *value, unsigned name) { \
        JSProperty *property; \
        JSObject *object = JS_VALUE_GET_OBJ(*(const JSValue *)value); \
        return find_own_property(&property, object, name) ? property - object->prop : -1; \
    } \
    /* Whether so many layers have as many properties as they had, and inherit from what they did. */ \
    static _Bool phasor_are_as_many(const void *counts, unsigned count) { \
        const struct { const JSObject *layer, *above; uint64_t count; } *known = counts; \
        for (unsigned at = 0; at < count; at++) { \
            const JSShape *shape = known[at].layer->shape; \
            if (shape->prop_count != known[at].count || shape->proto != known[at].above) return false; \
        } \
        return true; \
    } \
    /* What an object inherits from. */ \
    static const void *phasor_above(const void *value) { \
        return JS_VALUE_GET_OBJ(*(const JSValue *)value)->shape->proto; \
    } \
    /* Whether the properties of so many layers are what they were. */ \
    static _Bool phasor_are_kept(const void *all, unsigned count) { \
        typedef uint64_t Pair __attribute__((vector_size(16))); \
        typedef struct { Pair was; uint64_t offset; } Kept; \
        const struct { const JSObject *layer; const Kept *kept; uint32_t count, most; } *of = all; \
        Pair other = { 0, 0 }; \
        for (unsigned at = 0; at < count; at++, of++) { \
            if (of->most >= (unsigned)of->layer->shape->prop_count) return false; \
            const char *first = (const char *)of->layer->prop; \
            for (const Kept *kept = of->kept, *end = kept + of->count; kept < end; kept++) { \
                Pair is; \
                memcpy(&is, first + kept->offset, sizeof(is)); \
                other |= is ^ kept->was; \
            } \
        } \
        return (other[0] | other[1]) == 0; \
    } \
    /* Whether the properties from a place on are plain ones that nothing above has, and have none of so many names. */ \
    static _Bool phasor_is_added_alone(const void *value, unsigned from, const unsigned *unwanted, unsigned count) { \
        JSObject *object = JS_VALUE_GET_OBJ(*(const JSValue *)value); \
        const JSShapeProperty *names = get_shape_prop(object->shape); \
        for (unsigned at = from; at < object->shape->prop_count; at++) { \
            if (names[at].atom == JS_ATOM_NULL) continue; \
            if ((names[at].flags & JS_PROP_TMASK) != JS_PROP_NORMAL) return false; \
            for (unsigned i = 0; i < count; i++) if (names[at].atom == unwanted[i]) return false; \
            for (JSObject *above = object->shape->proto; above; above = above->shape->proto) { \
                JSProperty *property; \
                if (above->is_exotic || find_own_property(&property, above, names[at].atom)) return false; \
            } \
        } \
        return true; \
    } \
    /* Whether an object has the shape of another, if there is one, or none of so many names before the first of the layers that it */ \
    /* inherits from. */ \
    static _Bool phasor_is_bare( \
        const void *value, const void *like, const unsigned *names, unsigned count, const void *const *layers, unsigned most \
    ) { \
        JSObject *object = JS_VALUE_GET_OBJ(*(const JSValue *)value); \
        if (like && object->shape == ((const JSObject *)like)->shape && !object->is_exotic) return true; \
        for (; object; object = object->shape->proto) { \
            for (unsigned at = 0; at < most; at++) if (object == layers[at]) return true; \
            if (object->is_exotic) return false; \
            for (unsigned at = 0; at < count; at++) { \
                JSProperty *property; \
                if (find_own_property(&property, object, names[at])) return false; \
            } \
        } \
        return false; \
    }

// Texts and bytes that natives look at where they are: `crates/js/src/bytes.rs`.
#define PHASOR_PLAIN_BODY \
    /* The bytes of a `Uint8Array` on a buffer that has its length for good; null if it is none, or the buffer is gone. */ \
    static void *phasor_bytes(const void *value, size_t *count) { \
        if (!JS_IsObject(*(const JSValue *)value)) return NULL; \
        const JSObject *array = JS_VALUE_GET_OBJ(*(const JSValue *)value); \
        if (array->class_id != JS_CLASS_UINT8_ARRAY) return NULL; \
        const JSTypedArray *view = array->u.typed_array; \
        const JSArrayBuffer *buffer = view->buffer->u.array_buffer; \
        if (view->track_rab || buffer->detached || buffer->max_byte_length >= 0) return NULL; \
        *count = view->length; \
        return buffer->data + view->offset; \
    } \
    /* The characters of a string of ASCII, which stays whose it is; null if it is none, or not in one piece. */ \
    static const void *phasor_ascii(const void *value, size_t *count) { \
        if (JS_VALUE_GET_TAG(*(const JSValue *)value) != JS_TAG_STRING) return NULL; \
        JSString *text = JS_VALUE_GET_STRING(*(const JSValue *)value); \
        if (text->kind != JS_STRING_KIND_NORMAL || !phasor_is_ascii(text)) return NULL; \
        *count = text->len; \
        return str8(text); \
    } \
    /* The lines of a head, as `setHeader` keeps them: by its name each has an array with a name and a value. How many there are; -1 if */ \
    /* one is anything else than two strings of ASCII, or they are in another order than JavaScript has them, or more than there is room for. */ \
    static int phasor_lines(const void *headers, void *lines, int most) { \
        struct { const void *name; size_t name_size; const void *value; size_t value_size; } *line = lines; \
        const JSObject *object = JS_VALUE_GET_OBJ(*(const JSValue *)headers); \
        const JSShapeProperty *kinds = get_shape_prop(object->shape); \
        int count = 0; \
        if (object->class_id != JS_CLASS_OBJECT || object->is_exotic) return -1; \
        for (int at = 0; at < object->shape->prop_count; at++) { \
            if (kinds[at].atom == JS_ATOM_NULL) continue; \
            if (count == most || kinds[at].flags != JS_PROP_C_W_E || __JS_AtomIsTaggedInt(kinds[at].atom)) return -1; \
            JSValue pair = object->prop[at].u.value; \
            if (!JS_IsObject(pair)) return -1; \
            const JSObject *array = JS_VALUE_GET_OBJ(pair); \
            if (array->class_id != JS_CLASS_ARRAY || !array->fast_array || array->u.array.count != 2) return -1; \
            const JSValue *both = array->u.array.u.values; \
            line[count].name = phasor_ascii(&both[0], &line[count].name_size); \
            line[count].value = phasor_ascii(&both[1], &line[count].value_size); \
            if (!line[count].name || !line[count].value) return -1; \
            count++; \
        } \
        return count; \
    } \
    /* A string whose characters are the bytes. */ \
    static void phasor_make_latin1(void *ctx, const void *bytes, size_t count, void *made) { \
        *(JSValue *)made = count > JS_STRING_LEN_MAX ? JS_ThrowRangeError(ctx, "invalid string length") \
            : count == 0 ? js_empty_string(((JSContext *)ctx)->rt) : js_new_string8_len(ctx, bytes, count); \
    }
