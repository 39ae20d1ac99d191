// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TestToken} from "./TestToken.sol";

/// @title A working token whose name, symbol and decimals revert
/// @dev The standard calls all three optional.
contract NamelessToken is TestToken {
    constructor() TestToken("", "", 0) {}

    function name() public pure override returns (string memory) {
        revert("no name");
    }

    function symbol() public pure override returns (string memory) {
        revert("no symbol");
    }

    function decimals() public pure override returns (uint8) {
        revert("no decimals");
    }
}
