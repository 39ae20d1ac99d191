// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TestToken} from "./TestToken.sol";

/// @title Keeps one percent of every transfer, and logs the whole
/// @dev Its logs are those of a plain ERC-20. Only balances show what it credits.
contract MisstatingToken is TestToken {
    mapping(address account => uint256) private _kept;

    constructor(uint8 decimals_) TestToken("Misstating", "MISS", decimals_) {}

    function balanceOf(address account) public view override returns (uint256) {
        return super.balanceOf(account) - _kept[account];
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (from != address(0) && to != address(0)) _kept[to] += value / 100;
    }
}
