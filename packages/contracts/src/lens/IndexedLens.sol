// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ISubscriptions} from "../interfaces/ISubscriptions.sol";
import {Holding, Settings, Stamp, SubscriptionsPage, SubscriptionsQuery, TokenFacts} from "./LensTypes.sol";
import {termsOf} from "./Terms.sol";
import {TokenList, addToken, filled, hasToken, tokenListFor} from "./TokenList.sol";
import {HOLDING_GAS, TOKEN_FACTS_GAS, allowanceOf, balanceOf} from "./Tokens.sol";
import {ANSWER_GAS, ANSWER_ROW_GAS, feeBalanceOf, settingsOf, stamp, subscriptionOf} from "./Views.sol";

/// @title Reads of what an index has named
/// @notice For lists that the protocol's own views cannot give: who or what is in them comes from the index, and
///         what each is worth from here. A lens of its own, because the other's code travels with every read.
contract IndexedLens {
    uint256 private constant ROW_GAS = 100_000;

    /// @notice Fee balances of these accounts in one subscription, in their order.
    /// @param start the account to begin with
    /// @return readAt the block of the answer
    /// @return terms all zeros where the subscription does not exist
    /// @return token in an array of one or none
    /// @return balances from `start` on
    /// @return next the account to go on from; 0 where all are read
    function feeBalances(address protocol, bytes32 id, address[] calldata accounts, uint256 start)
        external
        view
        returns (
            Stamp memory readAt,
            ISubscriptions.Subscription memory terms,
            TokenFacts[] memory token,
            uint256[] memory balances,
            uint256 next
        )
    {
        (terms, token) = termsOf(protocol, id);
        balances = new uint256[](accounts.length - start);
        uint256 i = start;
        for (; i < accounts.length; ++i) {
            if (i > start && gasleft() < ANSWER_GAS + ROW_GAS) break;
            balances[i - start] = feeBalanceOf(protocol, id, accounts[i]);
        }
        assembly ("memory-safe") {
            mstore(balances, sub(i, start))
        }
        return (stamp(), terms, token, balances, i == accounts.length ? 0 : i);
    }

    /// @notice These subscriptions with their tokens, in their order.
    function subscriptionsById(address protocol, SubscriptionsQuery calldata query)
        external
        view
        returns (Stamp memory, Settings memory, SubscriptionsPage memory)
    {
        return (stamp(), settingsOf(protocol), _page(protocol, query));
    }

    function _page(address protocol, SubscriptionsQuery calldata query)
        private
        view
        returns (SubscriptionsPage memory page)
    {
        uint256 most = query.ids.length - query.start;
        uint256 withMoney = query.account == address(0) ? 0 : most;
        page.subscriptions = new ISubscriptions.Subscription[](most);
        page.feeBalances = new uint256[](withMoney);
        page.holdings = new Holding[](withMoney);
        TokenList memory list = tokenListFor(most);
        uint256 count;
        for (; count < most; ++count) {
            ISubscriptions.Subscription memory terms = subscriptionOf(protocol, query.ids[query.start + count]);
            if (count > 0 && _hasNoRoom(list, count, terms.token)) break;
            page.subscriptions[count] = terms;
            _addMoney(page, list, count, protocol, query.account);
        }
        page.tokens = filled(list);
        page.next = count == most ? 0 : query.start + count;
        _cut(page, count);
    }

    /// @dev The row's token, and what the account has of both.
    function _addMoney(
        SubscriptionsPage memory page,
        TokenList memory list,
        uint256 row,
        address protocol,
        address account
    ) private view {
        ISubscriptions.Subscription memory terms = page.subscriptions[row];
        (uint256 position, bool isNew) = addToken(list, protocol, terms.token);
        if (account == address(0)) return;
        page.feeBalances[row] = feeBalanceOf(protocol, terms.id, account);
        if (isNew) page.holdings[position] = _holding(protocol, terms.token, account);
    }

    function _holding(address protocol, address token, address account) private view returns (Holding memory) {
        return Holding(token, balanceOf(token, account), allowanceOf(token, account, protocol));
    }

    /// @dev Whether a page with this many rows has no room for one more, with this token.
    function _hasNoRoom(TokenList memory list, uint256 rows, address token) private view returns (bool) {
        uint256 needed = ANSWER_GAS + rows * ANSWER_ROW_GAS + ROW_GAS;
        return gasleft() < (hasToken(list, token) ? needed : needed + TOKEN_FACTS_GAS + HOLDING_GAS);
    }

    function _cut(SubscriptionsPage memory page, uint256 rows) private pure {
        ISubscriptions.Subscription[] memory subscriptions = page.subscriptions;
        uint256[] memory balances = page.feeBalances;
        Holding[] memory holdings = page.holdings;
        uint256 withMoney = balances.length == 0 ? 0 : 1;
        uint256 held = page.tokens.length * withMoney;
        uint256 balanced = rows * withMoney;
        assembly ("memory-safe") {
            mstore(subscriptions, rows)
            mstore(balances, balanced)
            mstore(holdings, held)
        }
    }
}
