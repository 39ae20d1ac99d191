// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ISubscriptions} from "../interfaces/ISubscriptions.sol";
import {TokenFacts, ViewFailed} from "./LensTypes.sol";
import {tokenFactsOf} from "./Tokens.sol";
import {subscriptionOf} from "./Views.sol";

/// @dev A subscription, all zeros where it does not exist, and its token in an array of one or none.
function termsOf(address protocol, bytes32 id)
    view
    returns (ISubscriptions.Subscription memory terms, TokenFacts[] memory token)
{
    terms = subscriptionOf(protocol, id);
    if (terms.provider == address(0)) return (terms, new TokenFacts[](0));
    token = oneToken(protocol, terms.token);
    // Tokens are approved for good: a subscription without one is not this protocol's.
    if (token.length == 0) revert ViewFailed("approvedERC20", protocol, "");
}

/// @dev A token in an array of one, or of none where the protocol has not approved it.
function oneToken(address protocol, address token) view returns (TokenFacts[] memory one) {
    (bool approved, TokenFacts memory facts) = tokenFactsOf(protocol, token);
    one = new TokenFacts[](approved ? 1 : 0);
    if (approved) one[0] = facts;
}
