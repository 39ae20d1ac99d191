// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ISubscriptions} from "../interfaces/ISubscriptions.sol";

/// @title Calls remit() again and again inside one eth_call, and tells how far it got and what it earned
/// @notice It is never deployed. Its runtime code is laid over the caller's address for the length of one eth_call,
///         so that remit() pays the caller. It stands in for eth_simulateV1 on nodes that lack the method; logs
///         cannot be seen this way.
contract RemitRunner {
    /// @dev Revert data is copied up to this many bytes: a hostile token could return megabytes of it.
    uint256 private constant MOST_RETURNED = 4096;
    /// @dev A balance that takes more gas than this to read counts as unchanged.
    uint256 private constant BALANCE_GAS = 300_000;

    /// @param balances of the caller after the call, in the order of the tokens asked for
    struct Step {
        uint256 nextUncheckedDay;
        uint256[] balances;
    }

    /// @notice Calls remit() until it reverts, `most` calls are made, or gas runs short.
    /// @param keptGas left for the answer whatever a call uses up
    /// @return before the caller's balances before the first call
    /// @return steps one for each call that succeeded
    /// @return reverted whether a call reverted; one that may only have run out of gas, behind others, does not count
    /// @return reason what it reverted with
    function run(ISubscriptions protocol, address[] calldata tokens, uint256 most, uint256 keptGas)
        external
        returns (uint256[] memory before, Step[] memory steps, bool reverted, bytes memory reason)
    {
        before = _balances(tokens);
        steps = new Step[](most);
        uint256 made = 0;
        while (made < most && gasleft() > keptGas) {
            bool success;
            (success, reason) = _remit(protocol, gasleft() - keptGas);
            if (!success) {
                reverted = made == 0 || reason.length > 0;
                break;
            }
            steps[made++] = Step(protocol.nextUncheckedDay(), _balances(tokens));
        }
        // Only a shorter length is written over the longer one: the memory behind it is not read again.
        assembly ("memory-safe") {
            mstore(steps, made)
        }
    }

    function _remit(ISubscriptions protocol, uint256 gasLimit) private returns (bool success, bytes memory reason) {
        bytes memory data = abi.encodeCall(ISubscriptions.remit, ());
        uint256 most = MOST_RETURNED;
        assembly ("memory-safe") {
            success := call(gasLimit, protocol, 0, add(data, 32), mload(data), 0, 0)
            let length := returndatasize()
            if success { length := 0 }
            if gt(length, most) { length := most }
            reason := mload(0x40)
            mstore(reason, length)
            returndatacopy(add(reason, 32), 0, length)
            mstore(0x40, and(add(add(reason, length), 63), not(31)))
        }
    }

    function _balances(address[] calldata tokens) private view returns (uint256[] memory balances) {
        balances = new uint256[](tokens.length);
        for (uint256 i = 0; i < tokens.length; i++) {
            address token = tokens[i];
            bytes memory data = abi.encodeWithSignature("balanceOf(address)", address(this));
            uint256 gasLimit = BALANCE_GAS;
            uint256 amount;
            assembly ("memory-safe") {
                let success := staticcall(gasLimit, token, add(data, 32), mload(data), 0, 32)
                if and(success, gt(returndatasize(), 31)) { amount := mload(0) }
            }
            balances[i] = amount;
        }
    }
}
