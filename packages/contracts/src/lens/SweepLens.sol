// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Settings, Stamp, ViewFailed} from "./LensTypes.sol";
import {TOKEN_CALL_GAS, TOKEN_CALL_MARGIN} from "./Tokens.sol";
import {ANSWER_GAS, ANSWER_ROW_GAS, feeBalanceOf, settingsOf, stamp} from "./Views.sol";

/// @notice One membership, as the index names it.
struct PayerQuery {
    bytes32 id;
    address account;
    address token;
}

/// @notice What remit would find of one membership.
/// @param readable false where a call of the token fails: it is no reason to know nothing of all others
struct PayerState {
    bool readable;
    uint256 feeBalance;
    uint256 balance;
    uint256 allowance;
}

/// @title What hundreds of memberships have to pay with
/// @notice Read page by page by whoever keeps verdicts on all of them. A lens of its own, because the other's code
///         travels with every read.
contract SweepLens {
    /// @dev Three calls of foreign code, two of which may use up their cap.
    uint256 private constant ROW_GAS = 100_000 + 2 * TOKEN_CALL_MARGIN;

    /// @param start the row to begin with
    /// @return readAt the block of the answer
    /// @return settings of the protocol
    /// @return states from `start` on
    /// @return next the row to go on from; 0 where all are read
    function payers(address protocol, PayerQuery[] calldata rows, uint256 start)
        external
        view
        returns (Stamp memory readAt, Settings memory settings, PayerState[] memory states, uint256 next)
    {
        states = new PayerState[](rows.length - start);
        uint256 i = start;
        for (; i < rows.length; ++i) {
            if (i > start && gasleft() < ANSWER_GAS + (i - start) * ANSWER_ROW_GAS + ROW_GAS) break;
            _read(protocol, rows[i], states[i - start]);
        }
        assembly ("memory-safe") {
            mstore(states, sub(i, start))
        }
        return (stamp(), settingsOf(protocol), states, i == rows.length ? 0 : i);
    }

    function _read(address protocol, PayerQuery calldata row, PayerState memory state) private view {
        state.feeBalance = feeBalanceOf(protocol, row.id, row.account);
        bool hasBalance;
        bool hasAllowance;
        (hasBalance, state.balance) = _word(row.token, abi.encodeCall(IERC20.balanceOf, (row.account)));
        (hasAllowance, state.allowance) =
            _word(row.token, abi.encodeCall(IERC20.allowance, (row.account, protocol)));
        state.readable = hasBalance && hasAllowance;
    }

    /// @dev False where the token fails or answers less than a word. Copies one word, whatever it answers.
    function _word(address token, bytes memory input) private view returns (bool ok, uint256 word) {
        // With less gas than its cap, a token that is fine could look broken.
        if (gasleft() < TOKEN_CALL_MARGIN) revert ViewFailed("payers", token, "");
        assembly ("memory-safe") {
            ok := staticcall(TOKEN_CALL_GAS, token, add(input, 0x20), mload(input), 0x00, 0x20)
            ok := and(ok, gt(returndatasize(), 0x1f))
            if ok { word := mload(0x00) }
        }
    }
}
