// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ISubscriptions} from "../interfaces/ISubscriptions.sol";
import {BacklogLens} from "./BacklogLens.sol";
import {DueLens} from "./DueLens.sol";
import {Settings, Stamp, TokenFacts} from "./LensTypes.sol";
import {SignerLens} from "./SignerLens.sol";
import {termsOf} from "./Terms.sol";
import {TOKEN_FACTS_GAS, tokenFactsOf} from "./Tokens.sol";
import {ANSWER_GAS, feeBalanceOf, nextUncheckedDayOf, requireView, settingsOf, stamp} from "./Views.sol";

/// @title Everything that one answer needs, read in one call
/// @notice Never deployed: its code is lent to an address for the length of one eth_call. Each function begins its
///         answer with the block that it was read in, and fails by the name of the view that failed, rather than
///         with a zero in its place. Lists stop before the gas does, and say where to go on.
contract SubscriptionsLens is BacklogLens, DueLens, SignerLens {
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
        (ISubscriptions.Subscription memory terms, TokenFacts[] memory token) = termsOf(protocol, id);
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
        (ISubscriptions.Subscription memory terms, TokenFacts[] memory token) = termsOf(protocol, id);
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
        (ISubscriptions.Subscription memory terms, TokenFacts[] memory token) = termsOf(protocol, id);
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
}
