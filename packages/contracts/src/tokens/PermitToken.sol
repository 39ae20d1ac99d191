// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {TestToken} from "./TestToken.sol";

/// @title Takes permits by EIP-2612 as OpenZeppelin's tokens do, and tells its domain by EIP-5267
contract PermitToken is TestToken, ERC20Permit {
    /// @param name_ at most 31 bytes
    constructor(string memory name_, string memory symbol_, uint8 decimals_)
        TestToken(name_, symbol_, decimals_)
        ERC20Permit(name_)
    {}

    function decimals() public view override(ERC20, TestToken) returns (uint8) {
        return super.decimals();
    }
}
