// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ISubscriptions} from "../interfaces/ISubscriptions.sol";
import {tryView} from "./Views.sol";

/// @dev Gas kept for the rest of the answer while a due list of any length is read.
uint256 constant ORDER_KEPT_GAS = 8_000_000;

/// @dev Due days of the four frequencies: 7, 28, 90 and 365, and one for day 0, which nothing is due on.
uint256 constant DUE_LISTS = 491;

/// @notice The places on due lists of what one wallet is charged for in one token on the same day: remit takes them
///         in that order, from the end.
/// @param rows the wallet's memberships
/// @param named a subscription that counts as one more of them; all zeros for none
/// @return ordered ids of those that share list and token with another, list by list, in the lists' order. A list
///         that cannot be read with the gas there is adds none of its ids.
function dueOrderOf(
    address protocol,
    ISubscriptions.SubView[] memory rows,
    ISubscriptions.Subscription memory named
) view returns (bytes32[] memory ordered) {
    ISubscriptions.Subscription[] memory charged = _chargedOf(rows, named);
    if (charged.length < 2) return ordered;
    uint256 size = _tableSize(charged.length);
    bytes32[] memory seen = new bytes32[](size);
    bytes32[] memory shared = new bytes32[](size);
    for (uint256 i = 0; i < charged.length; ++i) {
        bytes32 key = _drawOf(charged[i]);
        if (!_add(seen, key)) _add(shared, key);
    }
    bytes32[] memory ids = new bytes32[](size);
    bool[] memory lists = new bool[](DUE_LISTS);
    uint256 most;
    for (uint256 i = 0; i < charged.length; ++i) {
        if (!_has(shared, _drawOf(charged[i]))) continue;
        _add(ids, charged[i].id);
        lists[_listOf(charged[i])] = true;
        ++most;
    }
    ordered = new bytes32[](most);
    uint256 count;
    for (uint256 i = 0; i < charged.length && most > 0; ++i) {
        uint256 list = _listOf(charged[i]);
        if (!lists[list]) continue;
        lists[list] = false;
        count = _readList(protocol, charged[i], ids, ordered, count);
    }
    assembly ("memory-safe") {
        mstore(ordered, count)
    }
}

/// @dev Adds those of the list that are among the ids, in its order.
function _readList(
    address protocol,
    ISubscriptions.Subscription memory due,
    bytes32[] memory ids,
    bytes32[] memory ordered,
    uint256 count
) view returns (uint256) {
    bytes memory call = abi.encodeCall(ISubscriptions.getIdByTime, (uint256(due.frequency), due.dueDay));
    (bool ok, bytes memory answer) = tryView(protocol, call, ORDER_KEPT_GAS);
    if (!ok || answer.length < 0x40) return count;
    // In front of the ids stand the bytes' own length, the array's offset and its length, a word each.
    for (uint256 place = 0x60; place <= answer.length; place += 0x20) {
        bytes32 id;
        assembly ("memory-safe") {
            id := mload(add(answer, place))
        }
        if (count < ordered.length && _has(ids, id)) ordered[count++] = id;
    }
    return count;
}

/// @dev The memberships that remit charges, and the named one.
function _chargedOf(ISubscriptions.SubView[] memory rows, ISubscriptions.Subscription memory named)
    pure
    returns (ISubscriptions.Subscription[] memory charged)
{
    bytes32[] memory pointers = new bytes32[](rows.length + 1);
    // Only pointers are stored. A struct of zeros for each place would cost seven times as much.
    assembly ("memory-safe") {
        charged := pointers
    }
    uint256 count;
    for (uint256 i = 0; i < rows.length; ++i) {
        ISubscriptions.Subscription memory terms = rows[i].subscription;
        bool isCharged = rows[i].status == ISubscriptions.Status.ACTIVE && !terms.cancelled;
        if (isCharged && terms.id != named.id) charged[count++] = terms;
    }
    if (named.provider != address(0)) charged[count++] = named;
    assembly ("memory-safe") {
        mstore(charged, count)
    }
}

/// @dev The due list that a subscription is on together with the money that it draws on.
function _drawOf(ISubscriptions.Subscription memory due) pure returns (bytes32) {
    return keccak256(abi.encode(due.frequency, due.dueDay, due.token));
}

function _listOf(ISubscriptions.Subscription memory due) pure returns (uint256) {
    if (due.frequency == ISubscriptions.Frequency.WEEKLY) return due.dueDay;
    if (due.frequency == ISubscriptions.Frequency.MONTHLY) return 7 + due.dueDay;
    return (due.frequency == ISubscriptions.Frequency.QUARTERLY ? 35 : 125) + due.dueDay;
}

function _tableSize(uint256 entries) pure returns (uint256 size) {
    size = 4;
    while (size < 2 * entries) size *= 2;
}

/// @dev By open addressing, with half of the places free. False if it is there already.
function _add(bytes32[] memory table, bytes32 key) pure returns (bool) {
    uint256 place = _find(table, key);
    if (table[place] == key) return false;
    table[place] = key;
    return true;
}

function _has(bytes32[] memory table, bytes32 key) pure returns (bool) {
    return key != 0 && table[_find(table, key)] == key;
}

function _find(bytes32[] memory table, bytes32 key) pure returns (uint256 place) {
    place = uint256(key) & (table.length - 1);
    while (table[place] != 0 && table[place] != key) place = (place + 1) & (table.length - 1);
}
