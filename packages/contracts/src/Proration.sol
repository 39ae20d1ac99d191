// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Calendar} from "./Calendar.sol";
import {ISubscriptions} from "./interfaces/ISubscriptions.sol";

/// @title The price of a period that has already begun, and the part of it that is kept for remit's callers
/// @dev Every rounding here shows in the chain's logs: neither regroup nor reorder the operations.
library Proration {
    /// @notice The day of its week, month, quarter or year by which a subscription's due day is matched.
    function positionOf(Calendar.Date memory date, ISubscriptions.Frequency frequency)
        internal
        pure
        returns (uint16)
    {
        if (frequency == ISubscriptions.Frequency.WEEKLY) return date.weekDay;
        if (frequency == ISubscriptions.Frequency.MONTHLY) return date.monthDay;
        if (frequency == ISubscriptions.Frequency.QUARTERLY) return date.quarterDay;
        return date.yearDay;
    }

    /// @notice The price from a day to the next due day. On the due day it is the full amount.
    function remainder(Calendar.Date memory date, uint16 dueDay, uint256 amount, ISubscriptions.Frequency frequency)
        internal
        pure
        returns (uint256)
    {
        uint256 today = positionOf(date, frequency);
        if (today == dueDay) return amount;

        uint256 length;
        uint256 perDay;
        if (frequency == ISubscriptions.Frequency.MONTHLY) {
            length = date.monthDays;
            perDay = (amount * 12) / 365;
        } else {
            length = _length(frequency);
            // Quirk: a period counts as long as its largest due day. Only on the days beyond that, 91 and 92 of a
            // quarter and 366 of a year, it counts as longer.
            if (today > length) length = today;
            perDay = amount / length;
        }
        return today > dueDay ? perDay * (length - (today - dueDay)) : perDay * (dueDay - today);
    }

    /// @notice The part of the first charge that becomes fee balance. The provider gets the rest.
    function firstFill(uint256 charge, uint256 amount, ISubscriptions.Frequency frequency)
        internal
        pure
        returns (uint256)
    {
        if (frequency == ISubscriptions.Frequency.MONTHLY) {
            return (charge * 100) / amount >= 25 ? (amount * 25) / 100 : charge;
        }
        if (frequency != ISubscriptions.Frequency.WEEKLY) {
            return (charge * 1000) / amount >= 83 ? (amount * 83) / 1000 : charge;
        }
        return charge;
    }

    /// @notice How a whole period is split where the fee balance has run out.
    /// @dev Quirk: unless weekly, the provider gets a multiple of the truncated part, not the amount less that part.
    function refill(uint256 amount, ISubscriptions.Frequency frequency)
        internal
        pure
        returns (uint256 toBalance, uint256 toProvider)
    {
        if (frequency == ISubscriptions.Frequency.WEEKLY) return (amount, 0);
        uint256 parts = frequency == ISubscriptions.Frequency.MONTHLY ? 4 : 12;
        toBalance = amount / parts;
        toProvider = toBalance * (parts - 1);
    }

    function _length(ISubscriptions.Frequency frequency) private pure returns (uint256) {
        if (frequency == ISubscriptions.Frequency.WEEKLY) return 7;
        return frequency == ISubscriptions.Frequency.QUARTERLY ? 90 : 365;
    }
}
