// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SmartAccount} from "./SmartAccount.sol";

/// @title What ERC-4337's entry point is to transactions: anybody carries the signed operations of several accounts
/// @notice An operation that fails takes nobody else's back, and the transaction succeeds all the same.
contract OperationHandler {
    struct Operation {
        address payable sender;
        uint256 nonce;
        /// Who owns the account that is deployed first; zero where it is there.
        address deployFor;
        SmartAccount.Call[] calls;
        bytes signature;
    }

    mapping(address sender => uint256) public nonceOf;

    event OperationHandled(address indexed sender, uint256 nonce, bool success);

    error OperationRefused(address sender);

    function handle(Operation[] calldata operations) external {
        for (uint256 i = 0; i < operations.length; ++i) {
            Operation calldata operation = operations[i];
            address payable sender = operation.sender;
            if (sender.code.length == 0) createAccount(operation.deployFor);
            bytes4 answer = SmartAccount(sender).isValidSignature(hashOf(operation), operation.signature);
            if (operation.nonce != nonceOf[sender]++ || answer != SmartAccount.isValidSignature.selector) {
                revert OperationRefused(sender);
            }
            bool success;
            try SmartAccount(sender).execute(operation.calls) {
                success = true;
            } catch {}
            emit OperationHandled(sender, operation.nonce, success);
        }
    }

    /// @notice Deploys the account of an owner, which has its address before.
    function createAccount(address owner) public returns (address) {
        return address(new SmartAccount{salt: 0}(address(this), owner));
    }

    function hashOf(Operation calldata operation) public view returns (bytes32) {
        return keccak256(
            abi.encode(operation.sender, operation.nonce, operation.calls, block.chainid, address(this))
        );
    }

    function accountOf(address owner) external view returns (address) {
        bytes memory code = abi.encodePacked(type(SmartAccount).creationCode, abi.encode(address(this), owner));
        bytes32 hash = keccak256(abi.encodePacked(bytes1(0xff), address(this), bytes32(0), keccak256(code)));
        return address(uint160(uint256(hash)));
    }
}
