// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The calendar that due days are written in
/// @notice Pure UTC arithmetic on day numbers (unix time / 86400).
library Calendar {
    /// @dev Days of a Gregorian cycle, after which dates and weekdays repeat.
    uint256 private constant CYCLE_DAYS = 146097;
    /// @dev Days from 1 January of the year 0 to 1 January 1970.
    uint256 private constant EPOCH_DAYS = 719528;

    /// @param weekDay 1 (Monday) to 7 (Sunday)
    /// @param monthDay 1 to 31
    /// @param quarterDay 1 to 92, counted from 1 January, 1 April, 1 July or 1 October
    /// @param yearDay 1 to 366
    /// @param monthDays length of the month, 28 to 31
    struct Date {
        uint16 weekDay;
        uint16 monthDay;
        uint16 quarterDay;
        uint16 yearDay;
        uint16 monthDays;
    }

    /// @notice The number of the day that a moment falls on.
    function dayNumber(uint256 timestamp) internal pure returns (uint40) {
        return uint40(timestamp / 1 days);
    }

    /// @notice The day's position in its week, month, quarter and year.
    function dateOf(uint256 day) internal pure returns (Date memory date) {
        unchecked {
            // 1 January 1970 was a Thursday.
            date.weekDay = uint16((day + 3) % 7) + 1;

            uint256 dayOfCycle = (day + EPOCH_DAYS) % CYCLE_DAYS;
            (uint256 passed, bool leap) = _intoYear(dayOfCycle);
            date.yearDay = uint16(passed) + 1;

            // Takes whole months off the days that have passed of the year.
            uint256 month = 0;
            date.monthDays = 31;
            while (passed >= date.monthDays) {
                passed -= date.monthDays;
                date.quarterDay += date.monthDays;
                ++month;
                date.monthDays = _monthDays(month, leap);
                if (month % 3 == 0) date.quarterDay = 0;
            }
            date.monthDay = uint16(passed) + 1;
            date.quarterDay += date.monthDay;
        }
    }

    /// @dev How many days of its year have passed before a day of the cycle, which begins with a leap year.
    function _intoYear(uint256 dayOfCycle) private pure returns (uint256 passed, bool leap) {
        unchecked {
            // The cycle's first century has 36525 days. Each later one has 36524, since its first year is common,
            // and so are the three years after that.
            if (dayOfCycle >= 36525) {
                dayOfCycle = (dayOfCycle - 36525) % 36524;
                if (dayOfCycle < 1460) return (dayOfCycle % 365, false);
                dayOfCycle -= 1460;
            }
            // The rest repeats every four years: one leap year, then three common ones.
            uint256 dayOfFour = dayOfCycle % 1461;
            if (dayOfFour < 366) return (dayOfFour, true);
            return ((dayOfFour - 366) % 365, false);
        }
    }

    /// @param month 0 is January
    function _monthDays(uint256 month, bool leap) private pure returns (uint16) {
        if (month == 1) return leap ? 29 : 28;
        // April, June, September, November.
        return month == 3 || month == 5 || month == 8 || month == 10 ? 30 : 31;
    }
}
