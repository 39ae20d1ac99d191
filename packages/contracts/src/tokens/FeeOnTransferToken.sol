// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TestToken} from "./TestToken.sol";

/// @title Keeps one percent of every transfer: less arrives than was sent
contract FeeOnTransferToken is TestToken {
    constructor(uint8 decimals_) TestToken("Fee On Transfer", "FEE", decimals_) {}

    function _update(address from, address to, uint256 value) internal override {
        bool isTransfer = from != address(0) && to != address(0);
        uint256 fee = isTransfer ? value / 100 : 0;
        super._update(from, to, value - fee);
        if (fee > 0) super._update(from, address(0), fee);
    }
}
