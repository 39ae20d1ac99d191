// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TestToken} from "./TestToken.sol";
import {SignedPermit} from "./signed/SignedPermit.sol";
import {SignedTransfer} from "./signed/SignedTransfer.sol";

/// @title Takes permits and transfers by signature as USDC does since its version 2.2
/// @dev It tells its version, and lacks EIP-5267. Unlike USDC it never blocks anybody, and its reverts are worded
///      otherwise.
contract UsdcLikeToken is SignedPermit, SignedTransfer {
    constructor(string memory name_, string memory symbol_, uint8 decimals_)
        TestToken(name_, symbol_, decimals_)
    {}

    function version() public pure override returns (string memory) {
        return "2";
    }
}
