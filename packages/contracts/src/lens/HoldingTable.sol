// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SubscriberRow} from "./LensTypes.sol";

/// @dev A power of two. A page reads fewer rows than this, so that a free place is always near.
uint256 constant TABLE_SIZE = 4_096;
uint256 constant MOST_ROWS = 3_000;

/// @notice The wallets that a page has read so far: by open addressing in memory, since storage costs more than
///         asking the token once more.
struct HoldingTable {
    bytes32[] keys;
    SubscriberRow[] rows;
}

function newHoldingTable() pure returns (HoldingTable memory table) {
    SubscriberRow[] memory rows;
    bytes32[] memory keys = new bytes32[](TABLE_SIZE);
    bytes32[] memory pointers = new bytes32[](TABLE_SIZE);
    // Only pointers are stored. A row of zeros for each place would cost a hundred times as much.
    assembly ("memory-safe") {
        rows := pointers
    }
    return HoldingTable(keys, rows);
}

/// @dev The place of a wallet's holding of a token, or the free place for it.
function findHolding(HoldingTable memory table, address token, address wallet)
    pure
    returns (bool isKnown, uint256 place, bytes32 key)
{
    key = keccak256(abi.encode(token, wallet));
    place = uint256(key) % TABLE_SIZE;
    while (table.keys[place] != 0) {
        if (table.keys[place] == key) return (true, place, key);
        place = (place + 1) % TABLE_SIZE;
    }
    return (false, place, key);
}
