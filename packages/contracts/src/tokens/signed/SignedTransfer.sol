// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC3009, IERC3009Cancel} from "@openzeppelin/contracts/interfaces/draft-IERC3009.sol";
import {SignedToken} from "./SignedToken.sol";

/// @title Transfers by signature (EIP-3009), also of wallets that are contracts (EIP-7598)
/// @dev OpenZeppelin's ERC3009 comes with EIP-5267, takes no contract's signature, and reads one bit of each time as
///      a flag for block numbers. USDC does none of that.
abstract contract SignedTransfer is SignedToken, IERC3009, IERC3009Cancel {
    bytes32 public constant TRANSFER_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 public constant RECEIVE_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 public constant CANCEL_AUTHORIZATION_TYPEHASH =
        keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");

    /// @inheritdoc IERC3009
    mapping(address authorizer => mapping(bytes32 nonce => bool)) public authorizationState;

    /// @inheritdoc IERC3009
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
    ) external {
        transferWithAuthorization(
            from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v)
        );
    }

    /// @notice As the other form, with the signature in 65 bytes, or as the wallet `from` takes it.
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) public {
        bytes32 typehash = TRANSFER_WITH_AUTHORIZATION_TYPEHASH;
        _transferAsSigned(typehash, from, to, value, validAfter, validBefore, nonce, signature);
    }

    /// @inheritdoc IERC3009
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        receiveWithAuthorization(from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    /// @notice As the other form, with the signature in 65 bytes, or as the wallet `from` takes it.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) public {
        require(to == msg.sender, "caller is not the payee");
        bytes32 typehash = RECEIVE_WITH_AUTHORIZATION_TYPEHASH;
        _transferAsSigned(typehash, from, to, value, validAfter, validBefore, nonce, signature);
    }

    /// @inheritdoc IERC3009Cancel
    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
        cancelAuthorization(authorizer, nonce, abi.encodePacked(r, s, v));
    }

    /// @notice As the other form, with the signature in 65 bytes, or as the authorizer's wallet takes it.
    function cancelAuthorization(address authorizer, bytes32 nonce, bytes memory signature) public {
        _useUp(authorizer, nonce);
        _requireSigned(
            authorizer, keccak256(abi.encode(CANCEL_AUTHORIZATION_TYPEHASH, authorizer, nonce)), signature
        );
        emit AuthorizationCanceled(authorizer, nonce);
    }

    function _transferAsSigned(
        bytes32 typehash,
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) private {
        require(block.timestamp > validAfter, "authorization is not valid yet");
        require(block.timestamp < validBefore, "authorization is no longer valid");
        _useUp(from, nonce);
        bytes32 structHash =
            keccak256(abi.encode(typehash, from, to, value, validAfter, validBefore, nonce));
        _requireSigned(from, structHash, signature);
        emit AuthorizationUsed(from, nonce);
        _transfer(from, to, value);
    }

    function _useUp(address authorizer, bytes32 nonce) private {
        require(!authorizationState[authorizer][nonce], "authorization is used or cancelled");
        authorizationState[authorizer][nonce] = true;
    }
}
