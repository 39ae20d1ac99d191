// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title What tokens have that move money by a signed authorization (EIP-3009)
interface IAuthorizationToken {
    /// @notice The type that payers sign. Not every token publishes it.
    function TRANSFER_WITH_AUTHORIZATION_TYPEHASH() external view returns (bytes32);

    /// @notice Whether the authorizer's nonce is used: by a transfer, or by cancelling it.
    function authorizationState(address authorizer, bytes32 nonce) external view returns (bool);

    /// @notice Moves what the payer has signed for, by a key's signature.
    /// @param validAfter unix time; later than it only
    /// @param validBefore unix time; earlier than it only
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    /// @notice The same by bytes that a contract may check (EIP-7598).
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external;
}
