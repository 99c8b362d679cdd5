// Faster allocation of small memory blocks. Part of `phasor_engine.h`, which says how calls are rewritten.
//
// QuickJS cuts pages into blocks of a few sizes. If the size is known and the page is neither full nor about to be empty, allocating or
// freeing a block takes some twenty instructions. QuickJS's own functions handle all cases, and need three times as many.

// A block of at most so many bytes is the smallest multiple of eight that holds it and its head.
#define PHASOR_SMALL_BYTES 120

#define js_malloc(ctx, size) PHASOR_JOIN(PHASOR_TAKE_, PHASOR_KIND(ctx))(ctx, size)
#define PHASOR_TAKE_CALL(ctx, size) (PHASOR_IS_OFTEN_TAKEN(size) ? phasor_take(ctx, size) : js_malloc(ctx, size))
#define PHASOR_TAKE_DEFINITION(...) js_malloc(__VA_ARGS__)
// One of this name is a field of the runtime.
#define PHASOR_IS_rt , RUNTIME,
#define PHASOR_TAKE_RUNTIME(...) js_malloc(__VA_ARGS__)

// What is of one size, and the properties of a new object.
#define PHASOR_IS_OFTEN_TAKEN(size) \
    (__builtin_constant_p(size) || __builtin_strcmp(__func__, "JS_NewObjectFromShape") == 0)

#define js_free_rt(rt, pointer) PHASOR_JOIN(PHASOR_GIVE_, PHASOR_KIND(rt))(rt, pointer)
#define PHASOR_IS_JSRuntime , DEFINITION,
#define PHASOR_GIVE_CALL(rt, pointer) phasor_give(rt, pointer)
#define PHASOR_GIVE_RUNTIME(rt, pointer) phasor_give(rt, pointer)
#define PHASOR_GIVE_DEFINITION(...) js_free_rt(__VA_ARGS__)

// The two stand where the sizes are known.
#define arena_get_size_index(size) PHASOR_JOIN(PHASOR_SIZE_, PHASOR_KIND(size))(size)
#define PHASOR_IS_size_t , DEFINITION,
#define PHASOR_SIZE_CALL(size) arena_get_size_index(size)
#define PHASOR_SIZE_DEFINITION(...) \
    arena_get_size_index(__VA_ARGS__); \
    static inline PHASOR_ALWAYS_INLINE void *phasor_take(JSContext *ctx, size_t bytes) { \
        JSRuntime *rt = ctx->rt; \
        if (unlikely(JS_ARENA_LARGE_BLOCKS_ONLY || bytes - 1 >= PHASOR_SMALL_BYTES)) return (js_malloc)(ctx, bytes); \
        size_t kind = (bytes + 7) / 8 - 1, block_bytes = kind * 8 + 16; \
        struct list_head *head = &rt->arena_state.free_arena_list[kind]; \
        JSArena *page = list_entry(head->next, JSArena, free_link); \
        if (unlikely(&page->free_link == head || page->n_used_blocks + 1 >= page->n_blocks || \
                     rt->malloc_state.malloc_size + bytes > rt->malloc_state.malloc_limit - 1)) \
            return (js_malloc)(ctx, bytes); \
        unsigned place = page->first_free_block; \
        JSMallocBlockHeader *block = (JSMallocBlockHeader *)(page->blocks + place * block_bytes); \
        page->first_free_block = block->u.free_next; \
        block->u.block_idx = place; \
        page->n_used_blocks++; \
        rt->malloc_state.malloc_count++; \
        rt->malloc_state.malloc_size += block_bytes - sizeof(JSMallocBlockHeader) + MALLOC_OVERHEAD; \
        return block->user_data; \
    } \
    /* Whether a page that is about to be empty is kept, as the first to take from: if no other is known to be half empty. Who takes a */ \
    /* few blocks and gives them back, again and again, would have a page made each time. */ \
    static no_inline bool phasor_is_needed(JSRuntime *rt, JSArena *page) { \
        struct list_head *head = &rt->arena_state.free_arena_list[page->block_size_idx]; \
        struct list_head *other = head->next == &page->free_link ? page->free_link.next : head->next; \
        const JSArena *page_there = list_entry(other, JSArena, free_link); \
        if (other != head && page_there->n_used_blocks <= page_there->n_blocks / 2) return false; \
        list_del(&page->free_link); \
        list_add(&page->free_link, head); \
        return true; \
    } \
    static void phasor_give(JSRuntime *rt, void *pointer) { \
        if (!pointer) return; \
        JSMallocBlockHeader *block = container_of(pointer, JSMallocBlockHeader, user_data); \
        size_t place = block->u.block_idx; \
        if (unlikely(place == JS_ARENA_FREE_NIL)) { \
            (js_free_rt)(rt, pointer); \
            return; \
        } \
        size_t block_bytes = arena_block_sizes[block->block_size_idx]; \
        size_t counted = block_bytes - sizeof(JSMallocBlockHeader) + MALLOC_OVERHEAD; \
        JSArena *page = (JSArena *)((uint8_t *)block - block_bytes * place - sizeof(JSArena)); \
        if (unlikely(page->n_used_blocks == page->n_blocks || counted > rt->malloc_state.malloc_size || \
                     (page->n_used_blocks == 1 && !phasor_is_needed(rt, page)))) { \
            (js_free_rt)(rt, pointer); \
            return; \
        } \
        block->u.free_next = page->first_free_block; \
        page->first_free_block = place; \
        page->n_used_blocks--; \
        rt->malloc_state.malloc_count--; \
        rt->malloc_state.malloc_size -= counted; \
    } \
    static int arena_get_size_index(__VA_ARGS__)

// An object of a class that asks for nothing but its shape, or an array. A shape may have no room for properties: objects that most often get none
// are made in one, and take a third less memory.
#define JS_NewObjectFromShape(ctx, ...) PHASOR_JOIN(PHASOR_MAKE_, PHASOR_KIND(ctx))(ctx, __VA_ARGS__)
#define PHASOR_MAKE_CALL(...) phasor_new_object(__VA_ARGS__)
#define PHASOR_MAKE_DEFINITION(...) \
    JS_NewObjectFromShape(__VA_ARGS__); \
    static bool phasor_is_plain_class(const JSRuntime *rt, JSClassID class) { \
        switch (class) { \
        case JS_CLASS_OBJECT: case JS_CLASS_BYTECODE_FUNCTION: return true; \
        case JS_CLASS_ARRAY: case JS_CLASS_C_FUNCTION: case JS_CLASS_ARGUMENTS: case JS_CLASS_MAPPED_ARGUMENTS: \
        case JS_CLASS_UINT8C_ARRAY ... JS_CLASS_DATAVIEW: \
        case JS_CLASS_ERROR: case JS_CLASS_NUMBER: case JS_CLASS_STRING: case JS_CLASS_BOOLEAN: case JS_CLASS_SYMBOL: \
        case JS_CLASS_DATE: case JS_CLASS_BIG_INT: case JS_CLASS_REGEXP: return false; \
        default: return !rt->class_array[class].exotic; \
        } \
    } \
    /* Another shape, with room, in the place of one without. Null if there is no memory. */ \
    static no_inline JSShape *phasor_with_room(JSContext *ctx, JSShape *shape) { \
        JSShape *other = js_clone_shape(ctx, shape); \
        js_free_shape(ctx->rt, shape); \
        if (other && resize_properties(ctx, &other, NULL, JS_PROP_INITIAL_SIZE)) { \
            js_free_shape(ctx->rt, other); \
            return NULL; \
        } \
        return other; \
    } \
    static JSValue phasor_new_object(JSContext *ctx, JSShape *shape, JSClassID class, JSProperty *properties) { \
        JSRuntime *rt = ctx->rt; \
        bool is_plain = phasor_is_plain_class(rt, class), is_array = !is_plain && class == JS_CLASS_ARRAY && shape == ctx->array_shape; \
        if (properties || !(is_plain || is_array)) { \
            if (unlikely(!shape->prop_size)) shape = phasor_with_room(ctx, shape); \
            return shape ? JS_NewObjectFromShape(ctx, shape, class, properties) : JS_EXCEPTION; \
        } \
        js_trigger_gc(rt, sizeof(JSObject)); \
        JSObject *object = phasor_take(ctx, sizeof(JSObject)); \
        JSProperty *room = object && shape->prop_size ? phasor_take(ctx, sizeof(JSProperty) * shape->prop_size) : NULL; \
        if (unlikely(!object || (!room && shape->prop_size))) { \
            phasor_give(rt, object); \
            js_free_shape(rt, shape); \
            return JS_EXCEPTION; \
        } \
        *object = (JSObject){ \
            .extensible = 1, .is_exotic = is_array, .fast_array = is_array, .class_id = class, .shape = shape, .prop = room, \
        }; \
        if (is_array) room[0].u.value = js_int32(0); \
        JS_REF_COUNT(object) = 1; \
        add_gc_object(rt, &object->header, JS_GC_OBJ_TYPE_JS_OBJECT); \
        return JS_MKPTR(JS_TAG_OBJECT, object); \
    } \
    static JSValue JS_NewObjectFromShape(__VA_ARGS__)
