// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {Calendar} from "./Calendar.sol";
import {Ledger} from "./Ledger.sol";
import {Proration} from "./Proration.sol";
import {ISubscriptions} from "./interfaces/ISubscriptions.sol";

/// @title The daily walk that charges what is due
/// @dev A day has four due lists, one per frequency. Lists and subscriber sets are walked from their end: when an
///      element is removed, the one that takes its place was visited already.
abstract contract Remittance is Ledger {
    using EnumerableSet for EnumerableSet.AddressSet;
    using EnumerableSet for EnumerableSet.Bytes32Set;

    /// @param day the day being walked
    /// @param resuming positions are skipped until the checkpoint is reached
    /// @param idle no subscription visited so far had a subscriber
    /// @param processed subscribers paid or failed in this page
    struct Page {
        uint40 day;
        bool resuming;
        bool idle;
        uint256 processed;
    }

    /// @param position in the due list, counted from 1
    /// @param earned the caller's fees so far, for this subscription and page, in protocol units
    struct Visit {
        Subscription subscription;
        uint256 position;
        uint256 callerShare;
        uint256 earned;
    }

    bool private _remitting;

    /// @inheritdoc ISubscriptions
    function remit() external override {
        require(!_remitting, "19");
        _remitting = true;
        _remitDay();
        _remitting = false;
    }

    /// @dev Quirk: after an empty day the function calls itself for the next day. If all days are empty the call
    ///      ends in "6". About two hundred empty days in a row overflow the stack: then remit is stalled until the
    ///      admin sets `nextUncheckedDay`.
    function _remitDay() private {
        uint40 day = nextUncheckedDay;
        require(_today() >= day, "6");
        Page memory page = Page({day: day, resuming: _checkpoint.initialized, idle: true, processed: 0});

        Calendar.Date memory date = Calendar.dateOf(day);
        for (uint8 frequency = 0; frequency < 4; ++frequency) {
            if (!_remitList(page, Frequency(frequency), Proration.positionOf(date, Frequency(frequency)))) return;
        }

        emit CallerLog(uint40(block.timestamp), day, msg.sender, true);
        delete _checkpoint;
        nextUncheckedDay = day + 1;
        if (page.idle) _remitDay();
    }

    /// @return finished false where the page is full
    function _remitList(Page memory page, Frequency frequency, uint16 dueDay) private returns (bool finished) {
        if (_checkpoint.initialized && uint256(frequency) < _checkpoint.frequency) return true;
        EnumerableSet.Bytes32Set storage list = _due[uint256(frequency)][dueDay];
        for (uint256 position = list.length(); position > 0; --position) {
            // Quirk: the checkpoint's position is applied to the later frequencies of that day too. Subscriptions
            // above it there are never charged for this period.
            if (_checkpoint.initialized && position > _checkpoint.subscriptionIndex) continue;
            if (!_remitEntry(page, list, position)) return false;
        }
        return true;
    }

    function _remitEntry(Page memory page, EnumerableSet.Bytes32Set storage list, uint256 position)
        private
        returns (bool finished)
    {
        bytes32 id = list.at(position - 1);
        if (_subscribers[id].length() == 0) {
            list.remove(id);
            return true;
        }
        // Quirk: a cancelled or paused subscription is not charged, but the day does not count as empty.
        page.idle = false;
        Visit memory visit;
        visit.subscription = idSubMap[id];
        if (visit.subscription.cancelled || approvedERC20[visit.subscription.token].paused) {
            if (visit.subscription.cancelled) list.remove(id);
            if (_isCheckpoint(id)) {
                delete _checkpoint;
                page.resuming = false;
            }
            return true;
        }
        visit.position = position;
        visit.callerShare = _surcharge(visit.subscription.amount, callerFee);
        return _remitSubscribers(page, visit);
    }

    function _remitSubscribers(Page memory page, Visit memory visit) private returns (bool finished) {
        bytes32 id = visit.subscription.id;
        EnumerableSet.AddressSet storage subscribers = _subscribers[id];
        EnumerableSet.AddressSet storage unsubscribed = _unsubscribed[id];
        // Quirk: the list may hold accounts that never subscribed. If it is longer than the set, every remit
        // reverts here (Panic 0x11) until the janitor takes them off.
        uint256 live = subscribers.length() - unsubscribed.length();

        for (uint256 index = subscribers.length(); index > 0; --index) {
            if (page.processed == maxRemits) {
                _breakOff(page, visit, index);
                return false;
            }
            if (page.resuming) {
                if (!_isCheckpoint(id) || index != _checkpoint.subscriberIndex) continue;
                page.resuming = false;
            }
            address subscriber = subscribers.at(index - 1);
            // Quirk: if the account at position 1 is skipped here, the fees earned so far stay in the contract.
            if (unsubscribed.contains(subscriber)) continue;

            _remitSubscriber(page, visit, subscriber, index);
            ++page.processed;
            if (index == 1 && live > 0) _payCaller(visit);
        }
        return true;
    }

    /// @dev The page is full. The next remit begins at this position.
    function _breakOff(Page memory page, Visit memory visit, uint256 index) private {
        _checkpoint = PageStart({
            id: visit.subscription.id,
            subscriberIndex: index,
            subscriptionIndex: visit.position,
            frequency: uint256(visit.subscription.frequency),
            initialized: true
        });
        _payCaller(visit);
        emit CallerLog(uint40(block.timestamp), page.day, msg.sender, false);
    }

    function _remitSubscriber(Page memory page, Visit memory visit, address subscriber, uint256 index) private {
        if (!_canPay(visit.subscription, subscriber)) {
            _drop(visit, subscriber);
            _logPosition(page, visit, index);
            return;
        }
        _logPosition(page, visit, index);
        visit.earned += visit.callerShare;

        Subscription memory subscription = visit.subscription;
        uint256 amount = subscription.amount;
        uint256 balance = feeBalance[subscription.id][subscriber];
        if (balance > visit.callerShare) {
            feeBalance[subscription.id][subscriber] = balance - visit.callerShare;
            _log(subscription, subscriber, amount, SubscriptionEvent.SUBPAID);
            _log(subscription, subscriber, amount, SubscriptionEvent.PROVPAID);
            _collect(subscription.token, subscriber, subscription.provider, amount);
            return;
        }

        (uint256 fill, uint256 rest) = Proration.refill(amount, subscription.frequency);
        feeBalance[subscription.id][subscriber] = balance + fill - visit.callerShare;
        // Quirk: the log carries the amount of a whole period, although only a part fills the balance.
        _log(subscription, subscriber, amount, SubscriptionEvent.FEEFILL);
        _collect(subscription.token, subscriber, address(this), fill);
        if (subscription.frequency == Frequency.WEEKLY) return;
        _log(subscription, subscriber, rest, SubscriptionEvent.PROVPAID);
        _collect(subscription.token, subscriber, subscription.provider, rest);
    }

    /// @dev Quirk: one period that cannot be paid ends the subscription at once, without a second try. A fee
    ///      balance that is not larger than the caller's fee stays locked.
    function _drop(Visit memory visit, address subscriber) private {
        Subscription memory subscription = visit.subscription;
        uint256 balance = feeBalance[subscription.id][subscriber];
        if (balance > visit.callerShare) {
            feeBalance[subscription.id][subscriber] = 0;
            visit.earned += visit.callerShare;
            uint256 refund = balance - visit.callerShare;
            _log(subscription, subscriber, refund, SubscriptionEvent.PROVREFUND);
            _send(subscription.token, subscription.provider, refund);
        }
        _members[subscriber].asSubscriber[subscription.id] = Status.UNSUBSCRIBED;
        _subscribers[subscription.id].remove(subscriber);
        _log(subscription, subscriber, subscription.amount, SubscriptionEvent.UNSUBSCRIBED);
        _log(subscription, subscriber, 0, SubscriptionEvent.FAILED);
    }

    function _payCaller(Visit memory visit) private {
        address token = visit.subscription.token;
        uint256 forCaller = visit.earned;
        if (_systemFeeActive) {
            uint256 share = _surcharge(forCaller, systemFee);
            forCaller -= share;
            _send(token, _systemFeeReceiver, share);
        }
        _send(token, msg.sender, forCaller);
    }

    function _logPosition(Page memory page, Visit memory visit, uint256 index) private {
        emit Coordinates(
            visit.subscription.id,
            index,
            visit.position,
            uint256(visit.subscription.frequency),
            page.day
        );
    }
}
