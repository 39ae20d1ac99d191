// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Stamp, ViewFailed} from "./LensTypes.sol";
import {ANSWER_GAS, stamp} from "./Views.sol";

/// @notice What became of one call.
/// @param answer what it returned or reverted with, cut at 1,024 bytes
struct Trial {
    bool succeeded;
    bytes answer;
}

/// @title Calls of one foreign contract, run one after the other as one state
/// @notice Asked of tokens whose permits are to be found out or tried. Whatever the calls change ends with the question.
contract TrialLens {
    /// @dev A contract wallet that checks a passkey's curve in Solidity takes some hundred thousand.
    uint256 private constant TRIAL_GAS = 2_000_000;
    uint256 private constant MOST_BYTES = 0x400;

    /// @param account whose code is measured beside the calls
    function tryCalls(address target, address account, bytes[] calldata calls)
        external
        returns (Stamp memory readAt, uint256 codeSize, Trial[] memory trials)
    {
        trials = new Trial[](calls.length);
        for (uint256 i; i < calls.length; ++i) {
            if (gasleft() < ANSWER_GAS + 2 * TRIAL_GAS) revert ViewFailed("permit", target, "");
            trials[i] = _try(target, calls[i]);
        }
        return (stamp(), account.code.length, trials);
    }

    function _try(address target, bytes memory input) private returns (Trial memory trial) {
        bool succeeded;
        bytes memory answer = new bytes(MOST_BYTES);
        assembly ("memory-safe") {
            succeeded := call(TRIAL_GAS, target, 0, add(input, 0x20), mload(input), 0x00, 0x00)
            let size := returndatasize()
            if gt(size, MOST_BYTES) { size := MOST_BYTES }
            mstore(answer, size)
            returndatacopy(add(answer, 0x20), 0x00, size)
        }
        return Trial(succeeded, answer);
    }
}
