// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ISubscriptions} from "../interfaces/ISubscriptions.sol";
import {AccountLens} from "./AccountLens.sol";
import {BacklogLens} from "./BacklogLens.sol";
import {DueLens} from "./DueLens.sol";
import {AccountPage, AccountQuery, Settings, Stamp, TokenFacts, ViewFailed} from "./LensTypes.sol";
import {TOKEN_FACTS_GAS, tokenFactsOf} from "./Tokens.sol";
import {ANSWER_GAS, feeBalanceOf, nextUncheckedDayOf, requireView, settingsOf, stamp, subscriptionOf} from "./Views.sol";

/// @title Everything that one answer needs, read in one call
/// @notice Never deployed: its code is lent to an address for the length of one eth_call. Each function begins its
///         answer with the block that it was read in, and fails by the name of the view that failed, rather than
///         with a zero in its place. Lists stop before the gas does, and say where to go on.
contract SubscriptionsLens is AccountLens, BacklogLens, DueLens {
    function protocolSettings(address protocol)
        external
        view
        returns (Stamp memory, Settings memory)
    {
        return (stamp(), settingsOf(protocol));
    }

    /// @notice A subscription, all zeros where it does not exist, and its token in an array of one or none.
    function subscription(address protocol, bytes32 id)
        external
        view
        returns (Stamp memory, ISubscriptions.Subscription memory, TokenFacts[] memory, uint256 nextUncheckedDay)
    {
        (ISubscriptions.Subscription memory terms, TokenFacts[] memory token) = _termsOf(protocol, id);
        return (stamp(), terms, token, nextUncheckedDayOf(protocol));
    }

    function subscribers(address protocol, bytes32 id)
        external
        view
        returns (
            Stamp memory,
            ISubscriptions.Subscription memory,
            TokenFacts[] memory,
            ISubscriptions.SubscriberView[] memory rows
        )
    {
        (ISubscriptions.Subscription memory terms, TokenFacts[] memory token) = _termsOf(protocol, id);
        bytes memory call = abi.encodeCall(ISubscriptions.getSubscribersById, (id));
        rows = abi.decode(
            requireView("getSubscribersById", protocol, call, 0x40), (ISubscriptions.SubscriberView[])
        );
        return (stamp(), terms, token, rows);
    }

    function feeBalance(address protocol, bytes32 id, address subscriber)
        external
        view
        returns (Stamp memory, ISubscriptions.Subscription memory, TokenFacts[] memory, uint256)
    {
        (ISubscriptions.Subscription memory terms, TokenFacts[] memory token) = _termsOf(protocol, id);
        return (stamp(), terms, token, feeBalanceOf(protocol, id, subscriber));
    }

    /// @notice Those of the candidates that are approved.
    /// @param start the candidate to begin with
    /// @return readAt the block of the answer
    /// @return approved in the candidates' order
    /// @return next the candidate to go on from; 0 where all are read
    function tokens(address protocol, address[] calldata candidates, uint256 start)
        external
        view
        returns (Stamp memory readAt, TokenFacts[] memory approved, uint256 next)
    {
        approved = new TokenFacts[](candidates.length - start);
        uint256 count;
        uint256 i = start;
        for (; i < candidates.length; ++i) {
            if (i > start && gasleft() < ANSWER_GAS + TOKEN_FACTS_GAS) break;
            (bool isApproved, TokenFacts memory facts) = tokenFactsOf(protocol, candidates[i]);
            if (isApproved) approved[count++] = facts;
        }
        assembly ("memory-safe") {
            mstore(approved, count)
        }
        return (stamp(), approved, i == candidates.length ? 0 : i);
    }

    /// @notice What a provider meets who wants to create a subscription in a token.
    function createState(address protocol, address token, address provider)
        external
        view
        returns (Stamp memory, TokenFacts[] memory, Settings memory, uint256 nativeBalance)
    {
        return (stamp(), _oneToken(protocol, token), settingsOf(protocol), provider.balance);
    }

    /// @notice What a wallet meets that wants to subscribe: its memberships, with the subscription's own token
    ///         among their tokens and holdings in any case.
    /// @param start the row of its memberships to begin with
    function subscribeState(address protocol, bytes32 id, address wallet, uint256 start)
        external
        returns (
            Stamp memory,
            ISubscriptions.Subscription memory terms,
            Settings memory,
            uint256 nativeBalance,
            bool isPaging,
            AccountPage memory page
        )
    {
        terms = subscriptionOf(protocol, id);
        if (terms.provider != address(0)) {
            isPaging = _isPaging(protocol, terms);
            AccountQuery memory query = AccountQuery(wallet, true, false, true, start);
            page = _account(protocol, query, terms.token);
        }
        return (stamp(), terms, settingsOf(protocol), wallet.balance, isPaging, page);
    }

    /// @notice Undoes itself: reverts with what `subscribe` reverts with, and with nothing where it succeeds.
    function trySubscribe(address protocol, ISubscriptions.Subscription calldata terms) external {
        (bool ok, bytes memory answer) = protocol.call(abi.encodeCall(ISubscriptions.subscribe, (terms)));
        assembly ("memory-safe") {
            revert(add(answer, 0x20), mul(iszero(ok), mload(answer)))
        }
    }

    /// @dev No getter tells where a remit has broken off; `subscribe` does, by its "24", which comes before
    ///      anything that is asked of the subscriber.
    function _isPaging(address protocol, ISubscriptions.Subscription memory terms) private returns (bool) {
        try this.trySubscribe(protocol, terms) {
            return false;
        } catch (bytes memory reason) {
            return keccak256(reason) == keccak256(abi.encodeWithSignature("Error(string)", "24"));
        }
    }

    function _termsOf(address protocol, bytes32 id)
        private
        view
        returns (ISubscriptions.Subscription memory terms, TokenFacts[] memory token)
    {
        terms = subscriptionOf(protocol, id);
        if (terms.provider == address(0)) return (terms, new TokenFacts[](0));
        token = _oneToken(protocol, terms.token);
        // Tokens are approved for good: a subscription without one is not this protocol's.
        if (token.length == 0) revert ViewFailed("approvedERC20", protocol, "");
    }

    function _oneToken(address protocol, address token) private view returns (TokenFacts[] memory one) {
        (bool approved, TokenFacts memory facts) = tokenFactsOf(protocol, token);
        one = new TokenFacts[](approved ? 1 : 0);
        if (approved) one[0] = facts;
    }
}
