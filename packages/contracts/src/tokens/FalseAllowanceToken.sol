// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TestToken} from "./TestToken.sol";

/// @title Answers false, and does not revert, where an allowance would change from one non-zero value to another
/// @dev ERC-20 allows it: a caller has to look at what approve returns.
contract FalseAllowanceToken is TestToken {
    constructor(uint8 decimals_) TestToken("False Allowance", "FALS", decimals_) {}

    function approve(address spender, uint256 value) public override returns (bool) {
        if (value != 0 && allowance(msg.sender, spender) != 0) return false;
        return super.approve(spender, value);
    }
}
