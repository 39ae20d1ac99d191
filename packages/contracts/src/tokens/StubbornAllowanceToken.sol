// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TestToken} from "./TestToken.sol";

/// @title Refuses to change an allowance from one non-zero value to another
/// @dev As some old tokens do: a wallet has to approve 0 first.
contract StubbornAllowanceToken is TestToken {
    constructor(uint8 decimals_) TestToken("Stubborn Allowance", "STUB", decimals_) {}

    function approve(address spender, uint256 value) public override returns (bool) {
        require(value == 0 || allowance(msg.sender, spender) == 0, "approve 0 first");
        return super.approve(spender, value);
    }
}
