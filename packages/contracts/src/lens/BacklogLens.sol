// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ISubscriptions} from "../interfaces/ISubscriptions.sol";
import {BacklogEntry, BacklogPage, DueSlot, Stamp, SubscriberRow, ViewFailed} from "./LensTypes.sol";
import {HoldingTable, MOST_ROWS, findHolding, newHoldingTable} from "./HoldingTable.sol";
import {TokenList, addToken, filled, hasToken, tokenListFor} from "./TokenList.sol";
import {HOLDING_GAS, TOKEN_FACTS_GAS, allowanceOf, balanceOf} from "./Tokens.sol";
import {
    ANSWER_GAS,
    ANSWER_ROW_GAS,
    PANIC_INDEX,
    PANIC_UNDERFLOW,
    adminOf,
    cut,
    idsOf,
    listedOf,
    panicOf,
    setSizeOf,
    settingsOf,
    stamp,
    subscriptionOf,
    tryView
} from "./Views.sol";

/// @title Everything that remit() would walk
abstract contract BacklogLens {
    uint256 private constant ENTRY_GAS = 300_000;
    /// @dev A subscriber is two words. Decoding it and making room for its row takes about 1,500 gas.
    uint256 private constant DECODE_BYTE_GAS = 24;
    uint256 private constant MOST_TOKENS = 100;

    /// @dev Memory for them is taken before any is read, and costs more gas the more of it there is.
    uint256 private constant MOST_ENTRIES = 500;

    /// @dev Bytes of one packed slot: frequency (1), due day (2), last day (5).
    uint256 private constant SLOT_BYTES = 8;

    /// @dev How far the walk has come.
    /// @param entry counted through all slots
    /// @param entries read in this page
    /// @param rows subscribers read in this page
    struct Walk {
        address protocol;
        uint256 start;
        uint256 startSubscriber;
        uint256 entry;
        uint256 entries;
        uint256 rows;
        bool isFull;
        TokenList tokens;
        HoldingTable holdings;
    }

    /// @notice The due lists that remit has not charged yet, with all subscribers and what these hold.
    /// @param caller whose ether balance is in the answer too
    /// @param slots due lists, packed, each with the last day up to today on which remit looks at it; those whose
    ///        last day is worked off already are passed over
    /// @param start the entry to begin with, counted through all slots that are not passed over
    /// @param startSubscriber the subscriber of that entry to begin with
    function backlog(
        address protocol,
        address caller,
        bytes calldata slots,
        uint256 start,
        uint256 startSubscriber
    ) external view returns (Stamp memory, BacklogPage memory page) {
        page.settings = settingsOf(protocol);
        page.admin = adminOf(protocol);
        page.nativeBalance = caller.balance;
        Walk memory walk;
        walk.protocol = protocol;
        walk.start = start;
        walk.startSubscriber = startSubscriber;
        walk.tokens = tokenListFor(MOST_TOKENS);
        walk.holdings = newHoldingTable();
        bytes32[][] memory lists = _lists(protocol, slots, page.settings.nextUncheckedDay);
        page.total = _count(lists);
        uint256 left = page.total - start;
        page.entries = new BacklogEntry[](left < MOST_ENTRIES ? left : MOST_ENTRIES);
        for (uint256 i = 0; i < lists.length && !walk.isFull; ++i) {
            for (uint256 j = 0; j < lists[i].length && !walk.isFull; ++j) {
                if (walk.entry++ < start) continue;
                BacklogEntry memory entry;
                entry.slot = i;
                if (_readEntry(walk, page, entry, lists[i][j])) page.entries[walk.entries++] = entry;
            }
        }
        page.tokens = filled(walk.tokens);
        BacklogEntry[] memory entries = page.entries;
        uint256 count = walk.entries;
        assembly ("memory-safe") {
            mstore(entries, count)
        }
        return (stamp(), page);
    }

    /// @return isRead false where the entry is left to the next page
    function _readEntry(Walk memory walk, BacklogPage memory page, BacklogEntry memory entry, bytes32 id)
        private
        view
        returns (bool isRead)
    {
        bool isFirst = walk.entry == walk.start + 1;
        entry.subscription = subscriptionOf(walk.protocol, id);
        if (!isFirst && _isFullFor(walk, entry.subscription.token)) return _leave(walk, page);
        addToken(walk.tokens, walk.protocol, entry.subscription.token);
        entry.listed = listedOf(walk.protocol, id);
        bytes memory call = abi.encodeCall(ISubscriptions.getSubscribersById, (id));
        (bool ok, bytes memory answer) = tryView(walk.protocol, call, _answerGas(walk));
        if (ok && gasleft() > _answerGas(walk) + answer.length * DECODE_BYTE_GAS) {
            _readSubscribers(walk, page, entry, abi.decode(answer, (ISubscriptions.SubscriberView[])));
            return true;
        }
        uint256 panic = ok ? 0 : panicOf(answer);
        if (panic == PANIC_INDEX || panic == PANIC_UNDERFLOW) {
            (ok, entry.setSize) = setSizeOf(walk.protocol, id, entry.subscription.provider, _answerGas(walk));
            if (ok) return true;
        }
        // The entries before it may have used the gas that this one needs. Then it begins the next page.
        if (!isFirst && (answer.length == 0 || panic != 0 || ok)) return _leave(walk, page);
        revert ViewFailed("getSubscribersById", walk.protocol, ok ? bytes("") : cut(answer));
    }

    function _readSubscribers(
        Walk memory walk,
        BacklogPage memory page,
        BacklogEntry memory entry,
        ISubscriptions.SubscriberView[] memory views
    ) private view {
        entry.readable = true;
        entry.setSize = views.length + entry.listed;
        bool isResumed = walk.entry == walk.start + 1;
        uint256 from = isResumed ? walk.startSubscriber : 0;
        SubscriberRow[] memory rows = new SubscriberRow[](views.length - from);
        uint256 i;
        for (; i < rows.length; ++i) {
            // At least one subscriber, so that each page makes progress.
            if ((i > 0 || !isResumed) && _isFull(walk)) {
                page.next = walk.entry - 1;
                page.nextSubscriber = from + i;
                walk.isFull = true;
                break;
            }
            rows[i].subscriber = views[from + i].subscriber;
            rows[i].feeBalance = views[from + i].feeBalance;
            _readHolding(walk, entry.subscription.token, rows[i]);
            ++walk.rows;
        }
        assembly ("memory-safe") {
            mstore(rows, i)
        }
        entry.subscribers = rows;
    }

    /// @dev A wallet that is in many subscriptions of a token is asked for once.
    function _readHolding(Walk memory walk, address token, SubscriberRow memory row) private view {
        address wallet = row.subscriber;
        (bool isKnown, uint256 place, bytes32 key) = findHolding(walk.holdings, token, wallet);
        if (isKnown) {
            SubscriberRow memory known = walk.holdings.rows[place];
            (row.balance, row.allowance) = (known.balance, known.allowance);
            return;
        }
        row.balance = balanceOf(token, wallet);
        row.allowance = allowanceOf(token, wallet, walk.protocol);
        walk.holdings.keys[place] = key;
        walk.holdings.rows[place] = row;
    }

    /// @dev Whether a page has no room for one more subscriber.
    function _isFull(Walk memory walk) private view returns (bool) {
        return walk.rows == MOST_ROWS || gasleft() < _answerGas(walk) + HOLDING_GAS;
    }

    /// @dev Whether a page has no room for one more entry, with this token.
    function _isFullFor(Walk memory walk, address token) private view returns (bool) {
        uint256 needed = _answerGas(walk) + ENTRY_GAS;
        if (walk.entries == MOST_ENTRIES) return true;
        if (hasToken(walk.tokens, token)) return gasleft() < needed;
        return walk.tokens.count == MOST_TOKENS || gasleft() < needed + TOKEN_FACTS_GAS;
    }

    function _answerGas(Walk memory walk) private pure returns (uint256) {
        return ANSWER_GAS + (walk.entries + walk.rows) * ANSWER_ROW_GAS;
    }

    function _leave(Walk memory walk, BacklogPage memory page) private pure returns (bool) {
        page.next = walk.entry - 1;
        walk.isFull = true;
        return false;
    }

    /// @dev An empty list for each slot that is charged already.
    function _lists(address protocol, bytes calldata slots, uint256 nextUncheckedDay)
        private
        view
        returns (bytes32[][] memory lists)
    {
        lists = new bytes32[][](slots.length / SLOT_BYTES);
        for (uint256 i = 0; i < lists.length; ++i) {
            (DueSlot memory slot, uint256 lastDay) = _slotAt(slots, i);
            if (lastDay >= nextUncheckedDay) lists[i] = idsOf(protocol, slot.frequency, slot.dueDay);
        }
    }

    function _slotAt(bytes calldata slots, uint256 position) private pure returns (DueSlot memory, uint256) {
        uint64 packed = uint64(bytes8(slots[position * SLOT_BYTES:(position + 1) * SLOT_BYTES]));
        return (DueSlot(uint8(packed >> 56), uint16(packed >> 40)), uint40(packed));
    }

    function _count(bytes32[][] memory lists) private pure returns (uint256 count) {
        for (uint256 i = 0; i < lists.length; ++i) {
            count += lists[i].length;
        }
    }
}
