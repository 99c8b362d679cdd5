//! Tests of locks between threads. `crates/uv/differential/threads.c` tests what a single thread can observe.
//!
//! # Safety
//! The objects are initialised before the threads start and destroyed after they have ended.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::null_mut;

use super::barrier::{uv_barrier_destroy, uv_barrier_init, uv_barrier_wait};
use super::condition::{uv_cond_destroy, uv_cond_init, uv_cond_signal, uv_cond_timedwait, uv_cond_wait};
use super::key::{uv_key_create, uv_key_delete, uv_key_get, uv_key_set};
use super::mutex::{uv_mutex_destroy, uv_mutex_init, uv_mutex_lock, uv_mutex_unlock};
use super::once::uv_once;
use super::thread::{uv_thread_create, uv_thread_create_ex, uv_thread_join};
use crate::layout::{
    UV_THREAD_HAS_STACK_SIZE, uv_barrier_t, uv_cond_t, uv_key_t, uv_mutex_t, uv_once_t, uv_thread_options_t,
    uv_thread_t,
};

const THREADS: usize = 4;
const ROUNDS: usize = 200;

/// The objects that the threads share.
struct Shared {
    mutex: UnsafeCell<MaybeUninit<uv_mutex_t>>,
    condition: UnsafeCell<MaybeUninit<uv_cond_t>>,
    barrier: UnsafeCell<MaybeUninit<uv_barrier_t>>,
    key: UnsafeCell<uv_key_t>,
    once: UnsafeCell<uv_once_t>,
    /// The number of increments, protected by the mutex.
    counted: UnsafeCell<usize>,
    /// How often `uv_barrier_wait` returned 1.
    serial: UnsafeCell<usize>,
}

// SAFETY: the integer fields are only accessed under the mutex, or while one thread runs.
unsafe impl Sync for Shared {}

static SHARED: Shared = Shared {
    mutex: UnsafeCell::new(MaybeUninit::uninit()),
    condition: UnsafeCell::new(MaybeUninit::uninit()),
    barrier: UnsafeCell::new(MaybeUninit::uninit()),
    key: UnsafeCell::new(0),
    once: UnsafeCell::new(libc::PTHREAD_ONCE_INIT),
    counted: UnsafeCell::new(0),
    serial: UnsafeCell::new(0),
};

fn mutex() -> *mut uv_mutex_t {
    SHARED.mutex.get().cast()
}

extern "C" fn count_once() {
    // SAFETY: one thread calls this function, and the other threads wait for it.
    unsafe { *SHARED.counted.get() += 1000 };
}

unsafe extern "C" fn work(argument: *mut c_void) {
    // SAFETY: see the head of this file.
    unsafe {
        assert!(uv_key_get(SHARED.key.get()).is_null());
        uv_key_set(SHARED.key.get(), argument);
        uv_once(SHARED.once.get(), Some(count_once));
        let mut serial = 0;
        for _ in 0..ROUNDS {
            uv_mutex_lock(mutex());
            *SHARED.counted.get() += 1;
            uv_mutex_unlock(mutex());
            serial += uv_barrier_wait(SHARED.barrier.get().cast());
        }
        assert_eq!(uv_key_get(SHARED.key.get()), argument);
        uv_mutex_lock(mutex());
        *SHARED.serial.get() += serial as usize;
        uv_cond_signal(SHARED.condition.get().cast());
        uv_mutex_unlock(mutex());
    }
}

#[test]
fn locks_work_between_threads() {
    let mut threads: [uv_thread_t; THREADS] = [0; THREADS];
    // SAFETY: see the head of this file.
    unsafe {
        assert_eq!(uv_mutex_init(mutex()), 0);
        assert_eq!(uv_cond_init(SHARED.condition.get().cast()), 0);
        assert_eq!(uv_barrier_init(SHARED.barrier.get().cast(), THREADS as u32), 0);
        assert_eq!(uv_key_create(SHARED.key.get()), 0);
        let options = uv_thread_options_t { flags: UV_THREAD_HAS_STACK_SIZE, stack_size: 100_000 };
        for (index, thread) in threads.iter_mut().enumerate() {
            let argument = (index + 1) as *mut c_void;
            let status: c_int = if index % 2 == 0 {
                uv_thread_create(thread, Some(work), argument)
            } else {
                uv_thread_create_ex(thread, &options, Some(work), argument)
            };
            assert_eq!(status, 0);
        }
        uv_mutex_lock(mutex());
        // Each round of the barrier returns 1 in one thread.
        while *SHARED.serial.get() < ROUNDS {
            uv_cond_wait(SHARED.condition.get().cast(), mutex());
        }
        assert_eq!(uv_cond_timedwait(SHARED.condition.get().cast(), mutex(), 0), -libc::ETIMEDOUT);
        uv_mutex_unlock(mutex());
        for thread in &mut threads {
            assert_eq!(uv_thread_join(thread), 0);
        }
        assert_eq!((*SHARED.counted.get(), *SHARED.serial.get()), (1000 + THREADS * ROUNDS, ROUNDS));
        assert_eq!(uv_key_get(SHARED.key.get()), null_mut());
        uv_key_delete(SHARED.key.get());
        uv_barrier_destroy(SHARED.barrier.get().cast());
        uv_cond_destroy(SHARED.condition.get().cast());
        uv_mutex_destroy(mutex());
    }
}
