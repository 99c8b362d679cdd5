// What the engine asks and tells of promises. Included before each of its files, by `.cargo/config.toml`; others' files have it
// before them as well, and do not notice.
//
// The engine has a hook that hears of new promises, but nothing of what a program sees tells of an `await`, or of who
// runs in a reaction. Two of its functions are all that has to be heard, wherever they are called:
//
// - `perform_promise_then`, by which every `then` and `await` hangs its handlers on a promise: `phasor_then` may give
//   others in their place;
// - `fulfill_or_reject_promise`, as the hook does not tell of rejections: `phasor_settles` does.
//
// Both are in `crates/js/src/reactions.rs`. The functions themselves, and the rest of the engine, stay as they are
// published: only their calls are rewritten here. A call passes `ctx`, a definition declares `JSContext *ctx`, and that
// is how the two are told apart.

#if !defined(PHASOR_PROMISES_H) && !defined(__ASSEMBLER__)
#define PHASOR_PROMISES_H

const void *phasor_then(void *ctx, const void *promise, const void *handlers, const void *capability);
void phasor_settles(void *ctx, const void *promise, int is_reject);

// CALL, or DEFINITION if the first parameter is one of a function's definition.
#define PHASOR_KIND(first) PHASOR_SECOND(PHASOR_IS_##first, CALL, )
#define PHASOR_IS_JSContext , DEFINITION,
#define PHASOR_SECOND(...) PHASOR_SECOND_OF(__VA_ARGS__)
#define PHASOR_SECOND_OF(first, second, ...) second
#define PHASOR_JOIN(name, kind) PHASOR_JOIN_BOTH(name, kind)
#define PHASOR_JOIN_BOTH(name, kind) name##kind

#define perform_promise_then(ctx, promise, handlers, capability) \
    PHASOR_JOIN(PHASOR_THEN_, PHASOR_KIND(ctx))(ctx, promise, handlers, capability)
#define PHASOR_THEN_CALL(ctx, promise, handlers, capability) \
    engine_promise_then(ctx, promise, (void *)phasor_then(ctx, &(promise), handlers, capability), capability)
#define PHASOR_THEN_DEFINITION(ctx, promise, handlers, capability) \
    engine_promise_then(ctx, promise, handlers, capability)

#define fulfill_or_reject_promise(ctx, promise, value, is_reject) \
    PHASOR_JOIN(PHASOR_SETTLE_, PHASOR_KIND(ctx))(ctx, promise, value, is_reject)
#define PHASOR_SETTLE_CALL(ctx, promise, value, is_reject) \
    (phasor_settles(ctx, &(promise), is_reject), engine_settle_promise(ctx, promise, value, is_reject))
#define PHASOR_SETTLE_DEFINITION(ctx, promise, value, is_reject) \
    engine_settle_promise(ctx, promise, value, is_reject)

#endif
