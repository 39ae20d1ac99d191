// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SignedToken} from "./SignedToken.sol";

/// @title Allowances by signature: EIP-2612, and its form for wallets that are contracts (EIP-7598)
abstract contract SignedPermit is SignedToken {
    bytes32 public constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    /// @notice As the other form, with the signature in three parts.
    function permit(
        address owner,
        address spender,
        uint256 value,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        permit(owner, spender, value, deadline, abi.encodePacked(r, s, v));
    }

    /// @notice Sets the spender's allowance of the owner's tokens, and uses the owner's nonce.
    /// @dev Reverts after the deadline, and unless the owner signed just this with the nonce that is next.
    /// @param value in the token's smallest unit; it replaces the present allowance
    /// @param deadline the last unix second in which it may be handed in; the greatest uint256 for no end
    /// @param signature r, s and v in 65 bytes; what the owner's isValidSignature takes where it is a contract
    function permit(
        address owner,
        address spender,
        uint256 value,
        uint256 deadline,
        bytes memory signature
    ) public {
        require(block.timestamp <= deadline, "permit is past its deadline");
        bytes32 structHash =
            keccak256(abi.encode(PERMIT_TYPEHASH, owner, spender, value, _useNonce(owner), deadline));
        _requireSigned(owner, structHash, signature);
        _approve(owner, spender, value);
    }
}
