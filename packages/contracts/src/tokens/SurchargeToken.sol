// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TestToken} from "./TestToken.sol";

/// @title Takes a tenth more from whoever pays by an allowance than was asked for
/// @dev Allowances are spent by what was asked for. On request the tenth is in no log, and only balances show it.
contract SurchargeToken is TestToken {
    bool public isSilent;
    mapping(address account => uint256) private _unlogged;

    constructor(uint8 decimals_) TestToken("Surcharge", "MORE", decimals_) {}

    function setSilent(bool isSilent_) external {
        isSilent = isSilent_;
    }

    function balanceOf(address account) public view override returns (uint256) {
        return super.balanceOf(account) - _unlogged[account];
    }

    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        super.transferFrom(from, to, value);
        if (isSilent) _unlogged[from] += value / 10;
        else if (value >= 10) _burn(from, value / 10);
        require(super.balanceOf(from) >= _unlogged[from], "less is left than is taken on top");
        return true;
    }
}
