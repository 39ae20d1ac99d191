// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title An account that is a contract, as ERC-4337's are: its owner signs, and an entry point calls it
/// @notice A wallet that has delegated its account to this code (EIP-7702) is its own owner until it names another.
contract SmartAccount {
    struct Call {
        address to;
        bytes data;
    }

    bytes4 internal constant SIGNED = 0x1626ba7e;

    address public immutable entryPoint;
    address internal _owner;

    error CallerRefused(address caller);

    constructor(address entryPoint_, address owner_) {
        entryPoint = entryPoint_;
        _owner = owner_;
    }

    modifier onlyEntryPointOrSelf() {
        if (msg.sender != entryPoint && msg.sender != address(this)) revert CallerRefused(msg.sender);
        _;
    }

    receive() external payable {}

    function owner() public view returns (address) {
        return _owner == address(0) ? address(this) : _owner;
    }

    function setOwner(address owner_) external onlyEntryPointOrSelf {
        _owner = owner_;
    }

    /// @notice Makes all calls in order, or none: the first revert is that of the whole.
    function execute(Call[] calldata calls) external onlyEntryPointOrSelf {
        for (uint256 i = 0; i < calls.length; ++i) {
            (bool success, bytes memory answer) = calls[i].to.call(calls[i].data);
            if (success) continue;
            assembly ("memory-safe") {
                revert(add(answer, 32), mload(answer))
            }
        }
    }

    /// @notice ERC-1271.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (address signer, ECDSA.RecoverError fault,) = ECDSA.tryRecover(hash, signature);
        return fault == ECDSA.RecoverError.NoError && signer == owner() ? SIGNED : bytes4(0xffffffff);
    }
}
