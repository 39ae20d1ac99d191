// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ISubscriptions} from "../interfaces/ISubscriptions.sol";
import {DueSlot, Stamp, ViewFailed} from "./LensTypes.sol";
import {
    ANSWER_GAS,
    PANIC_INDEX,
    PANIC_UNDERFLOW,
    PROBE_GAS,
    cut,
    idsOf,
    listedOf,
    panicOf,
    requireView,
    returned,
    setSizeOf,
    stamp,
    subscriptionOf
} from "./Views.sol";

/// @title Reads of due lists
abstract contract DueLens {
    /// @dev Gas for the probe and the answer. With less, the entry is left to the next page.
    uint256 private constant ENTRY_GAS = PROBE_GAS + 2 * ANSWER_GAS;

    /// @notice What a remit that meets these lists would charge: subscriptions that are not cancelled, whose
    ///         token is not paused, and that have a subscriber. The protocol's lists hold others as well.
    /// @param start the entry to begin with, counted through all lists as the protocol has them
    /// @return readAt the block of the answer
    /// @return lists in the order of `slots`
    /// @return next the entry to go on from; 0 where all are read
    function due(address protocol, DueSlot[] calldata slots, uint256 start)
        external
        view
        returns (Stamp memory readAt, bytes32[][] memory lists, uint256 next)
    {
        lists = new bytes32[][](slots.length);
        uint256 entry;
        for (uint256 i = 0; i < slots.length; ++i) {
            lists[i] = idsOf(protocol, slots[i].frequency, slots[i].dueDay);
            bool isFull;
            (isFull, entry) = _keepCharged(protocol, lists[i], entry, start);
            if (isFull) return (stamp(), lists, entry);
        }
        return (stamp(), lists, 0);
    }

    /// @dev Keeps, in place, what a remit would charge of a list.
    /// @param entry the list's first one
    /// @return isFull true where the gas did not suffice for all of it
    /// @return next the entry to go on from
    function _keepCharged(address protocol, bytes32[] memory ids, uint256 entry, uint256 start)
        internal
        view
        returns (bool isFull, uint256 next)
    {
        uint256 kept;
        for (uint256 i = 0; i < ids.length; ++i) {
            if (entry >= start) {
                bool isFirst = entry == start;
                bool isRead;
                bool isCharged;
                if (isFirst || gasleft() > ENTRY_GAS + 500 * entry) {
                    (isRead, isCharged) = _isCharged(protocol, ids[i]);
                }
                if (!isRead) {
                    // It could not be read with all the gas of a page either.
                    if (isFirst) revert ViewFailed("getSubscribersById", protocol, "");
                    isFull = true;
                    break;
                }
                if (isCharged) ids[kept++] = ids[i];
            }
            ++entry;
        }
        assembly ("memory-safe") {
            mstore(ids, kept)
        }
        return (isFull, entry);
    }

    /// @return isRead false if the gas that is left does not suffice
    function _isCharged(address protocol, bytes32 id) private view returns (bool isRead, bool isCharged) {
        ISubscriptions.Subscription memory terms = subscriptionOf(protocol, id);
        if (terms.cancelled || terms.provider == address(0)) return (true, false);
        bytes memory call = abi.encodeCall(ISubscriptions.approvedERC20, (terms.token));
        bytes memory answer = requireView("approvedERC20", protocol, call, 0x80);
        if (abi.decode(answer, (ISubscriptions.ApprovedToken)).paused) return (true, false);
        return _hasSubscribers(protocol, id, terms.provider);
    }

    /// @dev By the list of subscribers itself, as far as a part of the gas reaches. Its panics tell too: 0x32
    ///      comes from writing an unlisted account beyond the answer's end, so there is one; 0x11 is met by remit
    ///      as well, which then charges nobody. Where the list is too long to walk, sizes decide: more accounts in
    ///      the set than on the unsubscribed list leave at least one.
    function _hasSubscribers(address protocol, bytes32 id, address provider)
        private
        view
        returns (bool isRead, bool has)
    {
        (bool ok, uint256 length) = _countSubscribers(protocol, id);
        if (ok) return (true, length > 0);
        bytes memory reason = returned();
        uint256 panic = panicOf(reason);
        if (panic == PANIC_INDEX) return (true, true);
        if (panic == PANIC_UNDERFLOW) return (true, false);
        if (reason.length > 0) revert ViewFailed("getSubscribersById", protocol, cut(reason));
        uint256 size;
        (ok, size) = setSizeOf(protocol, id, provider, ANSWER_GAS);
        if (!ok) return (false, false);
        if (size > 0 && size <= listedOf(protocol, id)) return (false, false);
        return (true, size > 0);
    }

    function _countSubscribers(address protocol, bytes32 id) private view returns (bool ok, uint256 length) {
        bytes4 selector = ISubscriptions.getSubscribersById.selector;
        assembly ("memory-safe") {
            let input := mload(0x40)
            mstore(input, selector)
            mstore(add(input, 0x04), id)
            // Only the offset and the length, so that a long answer is not copied.
            ok := staticcall(PROBE_GAS, protocol, input, 0x24, 0x00, 0x40)
            ok := and(ok, gt(returndatasize(), 0x3f))
            length := mload(0x20)
        }
    }
}
