// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TestToken} from "./TestToken.sol";
import {SignedToken} from "./signed/SignedToken.sol";

/// @title Takes the permits that DAI had before there was a standard: all or nothing, with the nonce as an argument
/// @dev Its reverts are worded otherwise than DAI's.
contract DaiLikeToken is SignedToken {
    bytes32 public constant PERMIT_TYPEHASH =
        keccak256("Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)");

    constructor(string memory name_, string memory symbol_, uint8 decimals_)
        TestToken(name_, symbol_, decimals_)
    {}

    /// @notice Gives the spender an allowance without end, or takes it away, and uses the holder's nonce.
    /// @dev Only a key can sign. Quirk: of the two signatures of one message that differ in s, both are taken.
    /// @param expiry the last unix second in which it may be handed in; 0 for no end
    function permit(
        address holder,
        address spender,
        uint256 nonce,
        uint256 expiry,
        bool allowed,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        bytes32 structHash = keccak256(abi.encode(PERMIT_TYPEHASH, holder, spender, nonce, expiry, allowed));
        // What nobody has signed recovers to the zero address.
        require(holder != address(0), "holder is the zero address");
        require(ecrecover(_digestOf(structHash), v, r, s) == holder, "invalid signature");
        require(expiry == 0 || block.timestamp <= expiry, "permit is past its expiry");
        _useCheckedNonce(holder, nonce);
        _approve(holder, spender, allowed ? type(uint256).max : 0);
    }

    function version() public pure override returns (string memory) {
        return "1";
    }
}
