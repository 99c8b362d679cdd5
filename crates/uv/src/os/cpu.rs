//! The processors.
//!
//! # Safety
//! The list and the names in it are one block of the allocator. Pointers may be written.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};

use phasor_sys::{Errno, os};

use crate::allocator;
use crate::layout::{uv_cpu_info_t, uv_cpu_times_s};

/// How many threads can run at once.
#[unsafe(no_mangle)]
pub extern "C" fn uv_available_parallelism() -> c_uint {
    c_uint::try_from(os::available_parallelism()).unwrap_or(c_uint::MAX)
}

/// The processors that are online.
///
/// # Safety
/// Both pointers may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_cpu_info(cpu_infos: *mut *mut uv_cpu_info_t, count: *mut c_int) -> c_int {
    let cpus = match os::cpus() {
        Ok(cpus) => cpus,
        Err(errno) => return -errno.raw(),
    };
    let names_bytes: usize = cpus.iter().map(|cpu| cpu.model.len() + 1).sum();
    // SAFETY: the block has room for the list and, after it, for the names with their nuls; the caller's promise.
    unsafe {
        *count = 0;
        // One at least: an allocator may give null for none.
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

/// Frees what [`uv_cpu_info`] gave.
///
/// # Safety
/// The list is what it gave, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_free_cpu_info(cpu_infos: *mut uv_cpu_info_t, _count: c_int) {
    // SAFETY: the caller's promise.
    unsafe { allocator::free(cpu_infos.cast()) };
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    #[test]
    fn every_processor_has_a_name() {
        let (mut list, mut count) = (std::ptr::null_mut(), 0);
        // SAFETY: the list has as many entries as are told, until it is freed.
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
