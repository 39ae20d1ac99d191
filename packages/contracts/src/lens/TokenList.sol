// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TokenFacts, ViewFailed} from "./LensTypes.sol";
import {tokenFactsOf} from "./Tokens.sol";

/// @notice The tokens that an answer has met so far, each once.
/// @param items with room for more than are there
struct TokenList {
    TokenFacts[] items;
    uint256 count;
}

function tokenListFor(uint256 most) pure returns (TokenList memory) {
    return TokenList(new TokenFacts[](most), 0);
}

function hasToken(TokenList memory list, address token) pure returns (bool) {
    for (uint256 i = 0; i < list.count; ++i) {
        if (list.items[i].token == token) return true;
    }
    return false;
}

/// @dev Reads the token of a subscription, where it is new.
function addToken(TokenList memory list, address protocol, address token)
    view
    returns (uint256 position, bool isNew)
{
    if (hasToken(list, token)) return (0, false);
    (bool approved, TokenFacts memory facts) = tokenFactsOf(protocol, token);
    // Tokens are approved for good: a subscription without one is not this protocol's.
    if (!approved) revert ViewFailed("approvedERC20", protocol, "");
    position = list.count++;
    list.items[position] = facts;
    return (position, true);
}

function filled(TokenList memory list) pure returns (TokenFacts[] memory items) {
    items = list.items;
    uint256 count = list.count;
    assembly ("memory-safe") {
        mstore(items, count)
    }
}
