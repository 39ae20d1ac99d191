// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {TestToken} from "../TestToken.sol";

/// @title A token that does what its holders have signed (EIP-712), whoever hands it in
/// @dev OpenZeppelin's EIP712 would tell its domain by EIP-5267, which neither USDC nor DAI does.
abstract contract SignedToken is TestToken, Nonces {
    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");

    /// @notice The version in the domain of signatures. No standard fixes it.
    function version() public pure virtual returns (string memory);

    /// @notice The hash of the domain of signatures: name, version, chain id and this contract.
    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        bytes32 nameHash = keccak256(bytes(name()));
        bytes32 versionHash = keccak256(bytes(version()));
        return keccak256(abi.encode(DOMAIN_TYPEHASH, nameHash, versionHash, block.chainid, address(this)));
    }

    /// @notice What is signed of a message: the hash of its fields, in this token's domain.
    function _digestOf(bytes32 structHash) internal view returns (bytes32) {
        return MessageHashUtils.toTypedDataHash(DOMAIN_SEPARATOR(), structHash);
    }

    /// @notice Reverts unless the signer has signed the message: with its key, or by ERC-1271 where it is a contract.
    function _requireSigned(address signer, bytes32 structHash, bytes memory signature) internal view {
        bytes32 digest = _digestOf(structHash);
        require(SignatureChecker.isValidSignatureNow(signer, digest, signature), "invalid signature");
    }
}
