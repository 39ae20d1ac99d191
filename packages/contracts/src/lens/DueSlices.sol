// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {DueLens} from "./DueLens.sol";
import {DueSlot, Stamp} from "./LensTypes.sol";
import {idsOf, stamp} from "./Views.sol";

/// @title Due lists that do not fit into one answer
/// @notice The protocol's view of a list has no pages, so each page of an answer would run it anew. Here it is run
///         once, and its ids are checked in slices. A lens of its own, because the other's code travels with every
///         read.
contract DueSlices is DueLens {
    /// @notice The lists as the protocol has them, in the order of `slots`.
    function dueIds(address protocol, DueSlot[] calldata slots)
        external
        view
        returns (Stamp memory, bytes32[][] memory lists)
    {
        lists = new bytes32[][](slots.length);
        for (uint256 i = 0; i < slots.length; ++i) {
            lists[i] = idsOf(protocol, slots[i].frequency, slots[i].dueDay);
        }
        return (stamp(), lists);
    }

    /// @notice Those of these subscriptions that a remit would charge, in their order.
    /// @param start the id to begin with
    /// @return readAt the block of the answer
    /// @return kept from `start` on
    /// @return next the id to go on from; 0 where all are read
    function charged(address protocol, bytes32[] calldata ids, uint256 start)
        external
        view
        returns (Stamp memory readAt, bytes32[] memory kept, uint256 next)
    {
        kept = ids;
        bool isFull;
        (isFull, next) = _keepCharged(protocol, kept, 0, start);
        return (stamp(), kept, isFull ? next : 0);
    }
}
