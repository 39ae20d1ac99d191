// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title What tokens that take signed permissions may have
/// @notice No token has all of it: EIP-2612's permit, its form in bytes (EIP-7598) and DAI's own, which is older.
interface IPermitToken {
    /// @notice The EIP-712 separator of the domain that owners sign in.
    function DOMAIN_SEPARATOR() external view returns (bytes32);

    /// @notice The type that owners sign, which tells the forms apart. Many tokens do not publish it.
    function PERMIT_TYPEHASH() external view returns (bytes32);

    /// @notice The domain in its parts (EIP-5267).
    /// @return fields one bit for each part that the domain has, from the name on
    function eip712Domain()
        external
        view
        returns (
            bytes1 fields,
            string memory name,
            string memory version,
            uint256 chainId,
            address verifyingContract,
            bytes32 salt,
            uint256[] memory extensions
        );

    /// @notice The number of the owner's next permit.
    function nonces(address owner) external view returns (uint256);

    /// @notice The domain's version, where the token tells it apart from EIP-5267.
    function version() external view returns (string memory);

    /// @notice Sets the owner's allowance for the spender, by a key's signature (EIP-2612).
    function permit(
        address owner,
        address spender,
        uint256 value,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    /// @notice The same by bytes that a contract may check (EIP-7598).
    function permit(address owner, address spender, uint256 value, uint256 deadline, bytes calldata signature)
        external;

    /// @notice DAI's: allows everything, or nothing.
    /// @param expiry unix time; 0 for never
    function permit(
        address holder,
        address spender,
        uint256 nonce,
        uint256 expiry,
        bool allowed,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;
}
