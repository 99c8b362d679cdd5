//! The fields of a date in a time zone, in the proleptic Gregorian calendar.

use super::zone::Zone;

#[derive(Clone, Copy)]
pub(super) struct Moment {
    /// Seconds since 1970.
    pub(super) second_of_time: i64,
    pub(super) offset: i32,
    /// The year before 1 is 0.
    pub(super) year: i64,
    /// From 0 on.
    pub(super) month: usize,
    pub(super) day: u32,
    /// From Sunday on.
    pub(super) weekday: usize,
    pub(super) hour: u32,
    pub(super) minute: u32,
    pub(super) second: u32,
    pub(super) millisecond: u32,
}

impl Moment {
    /// Of milliseconds since 1970.
    pub(super) fn of(time: f64, zone: &Zone) -> Self {
        let time = time as i64;
        let second_of_time = time.div_euclid(1000);
        let offset = zone.clock(second_of_time).offset;
        let local = second_of_time + i64::from(offset);
        let (days, second_of_day) = (local.div_euclid(86_400), local.rem_euclid(86_400) as u32);
        let (year, month, day) = date_of(days);
        Self {
            second_of_time,
            offset,
            year,
            month,
            day,
            weekday: (days + 4).rem_euclid(7) as usize,
            hour: second_of_day / 3600,
            minute: second_of_day / 60 % 60,
            second: second_of_day % 60,
            millisecond: time.rem_euclid(1000) as u32,
        }
    }

    pub(super) fn is_before_christ(&self) -> bool {
        self.year < 1
    }

    /// As it is written with its era.
    pub(super) fn year_of_era(&self) -> i64 {
        if self.is_before_christ() { 1 - self.year } else { self.year }
    }
}

/// The date of a day, counted from 1970 on. Years are taken to begin in March, so that the odd day is their last.
fn date_of(days: i64) -> (i64, usize, u32) {
    let days = days + 719_468;
    let (cycle, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let from_march = (5 * day + 2) / 153;
    let month = (from_march + 2) % 12;
    let year = cycle * 400 + year + i64::from(month < 2);
    (year, month as usize, (day - (153 * from_march + 2) / 5 + 1) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_their_dates() {
        assert_eq!(date_of(0), (1970, 0, 1));
        assert_eq!(date_of(-1), (1969, 11, 31));
        assert_eq!(date_of(11_016), (2000, 1, 29));
        assert_eq!(date_of(100_000_000), (275_760, 8, 13));
        assert_eq!(date_of(-100_000_000), (-271_821, 3, 20));
    }
}
