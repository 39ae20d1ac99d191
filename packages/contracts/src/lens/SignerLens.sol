// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ISubscriptions} from "../interfaces/ISubscriptions.sol";
import {AccountLens} from "./AccountLens.sol";
import {AccountPage, AccountQuery, Settings, Stamp, TokenFacts} from "./LensTypes.sol";
import {oneToken, termsOf} from "./Terms.sol";
import {nextUncheckedDayOf, settingsOf, stamp, subscriptionOf} from "./Views.sol";

/// @title Reads of what a signer needs to know before a write
abstract contract SignerLens is AccountLens {
    function nativeBalance(address signer) external view returns (Stamp memory, uint256) {
        return (stamp(), signer.balance);
    }

    /// @notice What a provider needs to know before it creates a subscription in a token.
    function createState(address protocol, address token, address provider)
        external
        view
        returns (Stamp memory, TokenFacts[] memory, Settings memory, uint256)
    {
        return (stamp(), oneToken(protocol, token), settingsOf(protocol), provider.balance);
    }

    /// @notice What a provider needs to know before it changes its own subscription.
    function providerState(address protocol, bytes32 id, address signer)
        external
        view
        returns (Stamp memory, ISubscriptions.Subscription memory, TokenFacts[] memory, uint256, uint256)
    {
        (ISubscriptions.Subscription memory terms, TokenFacts[] memory token) = termsOf(protocol, id);
        return (stamp(), terms, token, nextUncheckedDayOf(protocol), signer.balance);
    }

    /// @notice How an account stands to a subscription: its memberships, with the subscription's own token among
    ///         their tokens and holdings in any case.
    /// @param signer whose native balance is in the answer
    /// @param start the row of the account's memberships to begin with
    function membershipState(address protocol, bytes32 id, address account, address signer, uint256 start)
        external
        returns (
            Stamp memory,
            ISubscriptions.Subscription memory terms,
            Settings memory,
            uint256,
            bool isPaging,
            AccountPage memory page
        )
    {
        terms = subscriptionOf(protocol, id);
        if (terms.provider != address(0)) {
            isPaging = _isPaging(protocol, terms);
            page = _account(protocol, AccountQuery(account, true, false, true, start, 0, 0), terms);
        }
        return (stamp(), terms, settingsOf(protocol), signer.balance, isPaging, page);
    }

    /// @notice What a wallet lets the protocol take of a token: none where it is not approved, else with the
    ///         wallet's memberships, which may draw on it.
    /// @param start the row of the memberships to begin with
    function walletState(address protocol, address token, address wallet, uint256 start)
        external
        view
        returns (Stamp memory, TokenFacts[] memory approved, uint256, AccountPage memory page)
    {
        approved = oneToken(protocol, token);
        if (approved.length > 0) {
            ISubscriptions.Subscription memory named;
            named.token = token;
            page = _account(protocol, AccountQuery(wallet, true, false, true, start, 0, 0), named);
        }
        return (stamp(), approved, wallet.balance, page);
    }

    /// @notice Always reverts: with what `subscribe` reverts with, or with no data if it succeeds.
    function trySubscribe(address protocol, ISubscriptions.Subscription calldata terms) external {
        (bool ok, bytes memory answer) = protocol.call(abi.encodeCall(ISubscriptions.subscribe, (terms)));
        assembly ("memory-safe") {
            revert(add(answer, 0x20), mul(iszero(ok), mload(answer)))
        }
    }

    /// @dev No getter tells at which subscription remit has stopped. `subscribe` tells: it reverts with "24" there,
    ///      and checks that before anything about the subscriber.
    function _isPaging(address protocol, ISubscriptions.Subscription memory terms) private returns (bool) {
        try this.trySubscribe(protocol, terms) {
            return false;
        } catch (bytes memory reason) {
            return keccak256(reason) == keccak256(abi.encodeWithSignature("Error(string)", "24"));
        }
    }
}
