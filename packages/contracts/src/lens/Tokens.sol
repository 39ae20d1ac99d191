// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {ISubscriptions} from "../interfaces/ISubscriptions.sol";
import {TokenFacts, ViewFailed} from "./LensTypes.sol";
import {requireView, returned} from "./Views.sol";

// Reads of tokens. Tokens are foreign code, so each call has a gas cap and copies 256 bytes at most.

/// @dev Enough for proxies and rebasing tokens, and little enough for many calls in one answer.
uint256 constant TOKEN_CALL_GAS = 300_000;
uint256 constant TOKEN_ANSWER_BYTES = 0x100;

/// @dev With less than this a token would get less than its cap, and a call that fails for it would be taken
///      for the token's own answer.
uint256 constant TOKEN_CALL_MARGIN = 330_000;

/// @dev The most gas for a token's facts, and for what an account holds of it.
uint256 constant TOKEN_FACTS_GAS = 4 * TOKEN_CALL_MARGIN;
uint256 constant HOLDING_GAS = 2 * TOKEN_CALL_MARGIN;

/// @dev False in `approved` where the protocol has not approved the token: then nothing of it is called.
function tokenFactsOf(address protocol, address token) view returns (bool approved, TokenFacts memory facts) {
    bytes memory call = abi.encodeCall(ISubscriptions.approvedERC20, (token));
    bytes memory answer = requireView("approvedERC20", protocol, call, 0x80);
    ISubscriptions.ApprovedToken memory entry = abi.decode(answer, (ISubscriptions.ApprovedToken));
    if (token == address(0) || entry.tokenAddress != token) return (false, facts);
    facts.token = token;
    facts.decimals = entry.decimals;
    facts.paused = entry.paused;
    facts.minimum = entry.minimum;
    facts.ownDecimals = ownDecimalsOf(token);
    facts.symbol = textOf(token, IERC20Metadata.symbol.selector);
    facts.name = textOf(token, IERC20Metadata.name.selector);
    return (true, facts);
}

function balanceOf(address token, address account) view returns (uint256) {
    return tokenWord("balanceOf", token, IERC20.balanceOf.selector, 1, account, address(0));
}

function allowanceOf(address token, address account, address spender) view returns (uint256) {
    return tokenWord("allowance", token, IERC20.allowance.selector, 2, account, spender);
}

function ownDecimalsOf(address token) view returns (uint8) {
    uint256 decimals =
        tokenWord("decimals", token, IERC20Metadata.decimals.selector, 0, address(0), address(0));
    if (decimals > type(uint8).max) revert ViewFailed("decimals", token, abi.encode(decimals));
    return uint8(decimals);
}

/// @dev Returns one word and leaves nothing in memory.
/// @param count how many arguments the function has; the zero address is one like any other
function tokenWord(
    string memory name,
    address token,
    bytes4 selector,
    uint256 count,
    address first,
    address second
) view returns (uint256 word) {
    // Exactly the arguments of the function, because some tokens refuse longer calldata.
    uint256 size = 0x04 + 0x20 * count;
    requireGas(name, token);
    bool ok;
    assembly ("memory-safe") {
        let input := mload(0x40)
        mstore(input, selector)
        mstore(add(input, 0x04), first)
        mstore(add(input, 0x24), second)
        ok := staticcall(TOKEN_CALL_GAS, token, input, size, 0x00, 0x20)
        ok := and(ok, gt(returndatasize(), 0x1f))
        word := mload(0x00)
    }
    if (!ok) revert ViewFailed(name, token, returned());
}

/// @dev The undecoded answer, cut at 256 bytes; empty where the call fails, which only a text may.
function textOf(address token, bytes4 selector) view returns (bytes memory answer) {
    requireGas("symbol", token);
    bool ok;
    assembly ("memory-safe") {
        mstore(0x00, selector)
        ok := staticcall(TOKEN_CALL_GAS, token, 0x00, 0x04, 0x00, 0x00)
    }
    return ok ? returned() : bytes("");
}

function requireGas(string memory name, address token) view {
    if (gasleft() < TOKEN_CALL_MARGIN) revert ViewFailed(name, token, "");
}
