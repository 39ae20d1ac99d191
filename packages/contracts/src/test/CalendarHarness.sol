// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Calendar} from "../Calendar.sol";
import {Proration} from "../Proration.sol";
import {ISubscriptions} from "../interfaces/ISubscriptions.sol";

/// @title The calendar and its arithmetic, for tests that compare them with a calculation of their own
contract CalendarHarness {
    /// @notice The dates of `count` days, from one day on.
    function dates(uint256 day, uint256 count) external pure returns (Calendar.Date[] memory found) {
        found = new Calendar.Date[](count);
        for (uint256 i = 0; i < count; ++i) {
            found[i] = Calendar.dateOf(day + i);
        }
    }

    /// @notice The prorated amount on each of `count` days, from one day on.
    function remainders(
        uint256 day,
        uint256 count,
        uint16 dueDay,
        uint256 amount,
        ISubscriptions.Frequency frequency
    ) external pure returns (uint256[] memory found) {
        found = new uint256[](count);
        for (uint256 i = 0; i < count; ++i) {
            found[i] = Proration.remainder(Calendar.dateOf(day + i), dueDay, amount, frequency);
        }
    }
}
