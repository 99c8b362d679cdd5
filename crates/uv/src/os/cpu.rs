//! The processors.
//!
//! # Safety
//! The array and the names in it are one block of the replaceable allocator. Output pointers are writable.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};

use phasor_sys::{Errno, os};

use crate::allocator;
use crate::layout::{uv_cpu_info_t, uv_cpu_times_s};

/// The number of threads that can run at the same time.
#[unsafe(no_mangle)]
pub extern "C" fn uv_available_parallelism() -> c_uint {
    c_uint::try_from(os::available_parallelism()).unwrap_or(c_uint::MAX)
}

/// The processors that are online.
///
/// # Safety
/// Both pointers are writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_cpu_info(cpu_infos: *mut *mut uv_cpu_info_t, count: *mut c_int) -> c_int {
    let cpus = match os::cpus() {
        Ok(cpus) => cpus,
        Err(errno) => return -errno.raw(),
    };
    let names_bytes: usize = cpus.iter().map(|cpu| cpu.model.len() + 1).sum();
    // SAFETY: guaranteed by the caller; the block has the size of the array and, after it, of the names with their NULs.
    unsafe {
        *count = 0;
        // The block has at least one byte: `malloc(0)` may return NULL, which would look like an error.
        let bytes = (cpus.len() * size_of::<uv_cpu_info_t>() + names_bytes).max(1);
        let list: *mut uv_cpu_info_t = allocator::malloc(bytes).cast();
        *cpu_infos = list;
        if list.is_null() {
            return -Errno::ENOMEM.raw();
        }
        let mut name: *mut u8 = list.add(cpus.len()).cast();
        for (index, cpu) in cpus.iter().enumerate() {
            let [user, nice, sys, idle, irq] = cpu.times_ms;
            list.add(index).write(uv_cpu_info_t {
                model: name.cast(),
                speed: c_int::try_from(cpu.speed_mhz).unwrap_or(c_int::MAX),
                cpu_times: uv_cpu_times_s { user, nice, sys, idle, irq },
            });
            std::ptr::copy_nonoverlapping(cpu.model.as_ptr(), name, cpu.model.len());
            *name.add(cpu.model.len()) = 0;
            name = name.add(cpu.model.len() + 1);
        }
        *count = cpus.len() as c_int;
    }
    0
}

/// Frees the array of [`uv_cpu_info`].
///
/// # Safety
/// The array is from [`uv_cpu_info`], or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_free_cpu_info(cpu_infos: *mut uv_cpu_info_t, _count: c_int) {
    // SAFETY: guaranteed by the caller.
    unsafe { allocator::free(cpu_infos.cast()) };
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    #[test]
    fn every_processor_has_a_name() {
        let (mut list, mut count) = (std::ptr::null_mut(), 0);
        // SAFETY: the array has `count` entries until it is freed.
        unsafe {
            assert_eq!(uv_cpu_info(&mut list, &mut count), 0);
            let names: Vec<_> = (0..count as usize).map(|index| CStr::from_ptr((*list.add(index)).model)).collect();
            let known = os::cpus().expect("processors");
            assert!(names.iter().zip(&known).all(|(name, cpu)| name.to_bytes() == cpu.model.as_bytes()));
            assert_eq!(names.len(), known.len());
            uv_free_cpu_info(list, count);
        }
    }
}
