// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ISubscriptions} from "../interfaces/ISubscriptions.sol";
import {dueOrderOf} from "./DueOrder.sol";
import {AccountPage, AccountQuery, Holding, Settings, Stamp} from "./LensTypes.sol";
import {TokenList, addToken, filled, hasToken, tokenListFor} from "./TokenList.sol";
import {HOLDING_GAS, TOKEN_FACTS_GAS, allowanceOf, balanceOf} from "./Tokens.sol";
import {ANSWER_GAS, ANSWER_ROW_GAS, feeBalanceOf, rowsOf, settingsOf, stamp} from "./Views.sol";

/// @title Reads of one account
abstract contract AccountLens {
    uint256 private constant ROW_GAS = 100_000;
    uint256 private constant NEW_TOKEN_GAS = TOKEN_FACTS_GAS + HOLDING_GAS;

    /// @dev Each row costs more memory gas the more rows there are.
    uint256 private constant MOST_ROWS = 1_000;

    /// @dev More tokens than the protocol is expected to approve. Further ones go to the next page.
    uint256 private constant MOST_TOKENS = 100;

    /// @notice What an account created and subscribes to, with the tokens of it and the account's money.
    function account(address protocol, AccountQuery calldata query)
        external
        view
        returns (Stamp memory, Settings memory, AccountPage memory)
    {
        ISubscriptions.Subscription memory none;
        return (stamp(), settingsOf(protocol), _account(protocol, query, none));
    }

    /// @param named a subscription whose token is read in any case, and whose place on its due list counts as if
    ///        the account subscribed to it; all zeros for none
    function _account(
        address protocol,
        AccountQuery memory query,
        ISubscriptions.Subscription memory named
    ) internal view returns (AccountPage memory page) {
        page.subscribedTo = query.subscribed ? rowsOf(protocol, true, query.account) : _noRows();
        page.created = query.created ? rowsOf(protocol, false, query.account) : _noRows();
        page.subscribedCount = page.subscribedTo.length;
        page.createdCount = page.created.length;
        page.created = _wanted(page.created, query);
        if (!query.withMoney) page.subscribedTo = _wanted(page.subscribedTo, query);
        TokenList memory list = tokenListFor(MOST_TOKENS);
        page.holdings = new Holding[](MOST_TOKENS);
        if (query.withMoney) page.feeBalances = new uint256[](page.subscribedTo.length);
        if (named.token != address(0)) _addToken(page, list, protocol, query, named.token, query.withMoney);
        if (query.withMoney && query.start == 0) {
            page.dueOrder = dueOrderOf(protocol, page.subscribedTo, named);
        }
        uint256 end = _readRows(page, list, protocol, query);
        page.tokens = filled(list);
        Holding[] memory holdings = page.holdings;
        uint256 held;
        // Subscribed rows come first, so the tokens whose holdings are read come first too.
        while (held < list.count && holdings[held].token != address(0)) ++held;
        assembly ("memory-safe") {
            mstore(holdings, held)
        }
        _cutRows(page, query.start, end);
    }

    /// @return row the first row that was not read
    function _readRows(
        AccountPage memory page,
        TokenList memory list,
        address protocol,
        AccountQuery memory query
    ) private view returns (uint256 row) {
        uint256 subscribed = page.subscribedTo.length;
        uint256 total = subscribed + page.created.length;
        for (row = query.start; row < total; ++row) {
            ISubscriptions.Subscription memory terms =
                (row < subscribed ? page.subscribedTo[row] : page.created[row - subscribed]).subscription;
            if (row > query.start && _isFull(list, row - query.start, terms.token)) break;
            bool withMoney = query.withMoney && row < subscribed;
            _addToken(page, list, protocol, query, terms.token, withMoney);
            if (withMoney) page.feeBalances[row] = feeBalanceOf(protocol, terms.id, query.account);
        }
    }

    /// @dev Whether a page with this many rows has no room for one more, with this token.
    function _isFull(TokenList memory list, uint256 rows, address token) private view returns (bool) {
        if (rows == MOST_ROWS) return true;
        uint256 needed = ANSWER_GAS + rows * ANSWER_ROW_GAS + ROW_GAS;
        if (hasToken(list, token)) return gasleft() < needed;
        return list.count == MOST_TOKENS || gasleft() < needed + NEW_TOKEN_GAS;
    }

    function _addToken(
        AccountPage memory page,
        TokenList memory list,
        address protocol,
        AccountQuery memory query,
        address token,
        bool withMoney
    ) private view {
        (uint256 position, bool isNew) = addToken(list, protocol, token);
        if (!isNew || !withMoney) return;
        page.holdings[position] =
            Holding(token, balanceOf(token, query.account), allowanceOf(token, query.account, protocol));
    }

    /// @dev Cuts the lists to the rows from `start` to before `end`, in place.
    function _cutRows(AccountPage memory page, uint256 start, uint256 end) private pure {
        uint256 subscribed = page.subscribedTo.length;
        page.next = end == subscribed + page.created.length ? 0 : end;
        (uint256 from, uint256 to) = (_least(start, subscribed), _least(end, subscribed));
        page.subscribedTo = _slice(page.subscribedTo, from, to);
        if (page.feeBalances.length > 0) {
            uint256[] memory balances = page.feeBalances;
            assembly ("memory-safe") {
                balances := add(balances, mul(from, 0x20))
                mstore(balances, sub(to, from))
            }
            page.feeBalances = balances;
        }
        page.created = _slice(page.created, start - from, end - to);
    }

    /// @dev The rows of a list that the query is about, in place.
    function _wanted(ISubscriptions.SubView[] memory rows, AccountQuery memory query)
        private
        pure
        returns (ISubscriptions.SubView[] memory)
    {
        return _slice(
            rows, _least(query.from, rows.length), _least(query.from + query.most, rows.length)
        );
    }

    /// @dev The elements' pointers stay where they are; the length is written over the one before them.
    function _slice(ISubscriptions.SubView[] memory rows, uint256 from, uint256 to)
        private
        pure
        returns (ISubscriptions.SubView[] memory part)
    {
        assembly ("memory-safe") {
            part := add(rows, mul(from, 0x20))
            mstore(part, sub(to, from))
        }
    }

    function _noRows() private pure returns (ISubscriptions.SubView[] memory) {
        return new ISubscriptions.SubView[](0);
    }

    function _least(uint256 a, uint256 b) private pure returns (uint256) {
        return a < b ? a : b;
    }
}
