// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {
    AccessControlDefaultAdminRules
} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {Administration} from "./Administration.sol";
import {Calendar} from "./Calendar.sol";
import {Proration} from "./Proration.sol";
import {ISubscriptions} from "./interfaces/ISubscriptions.sol";

/// @title The reference contract of the protocol
/// @notice Behaves at its interface like the deployed protocol, defects included. Each defect is marked `Quirk`.
contract Subscriptions is Administration {
    using EnumerableSet for EnumerableSet.AddressSet;
    using EnumerableSet for EnumerableSet.Bytes32Set;

    /// @param allowSystemFee whether the system takes its share from the start; the admin receives it
    /// @param janitor may be zero
    constructor(
        uint256 callerFee_,
        uint256 systemFee_,
        uint256 maxRemits_,
        uint256 cancelLimit_,
        bool allowSystemFee,
        address admin,
        address janitor
    ) AccessControlDefaultAdminRules(1 days, admin) {
        _setCallerFee(callerFee_);
        _setSystemFee(systemFee_);
        maxRemits = maxRemits_;
        cancelLimit = cancelLimit_;
        _systemFeeActive = allowSystemFee;
        _systemFeeReceiver = admin;
        nextUncheckedDay = _today() - 2;
        _grantRole(JANITOR_ROLE, janitor);
    }

    // ------------------------------------------------------------------------------------------------- views

    /// @inheritdoc ISubscriptions
    function getAccount(address account) external view override returns (Account memory) {
        return Account(account, _indexOf(true, account), _indexOf(false, account));
    }

    /// @inheritdoc ISubscriptions
    function getAccountSubscriptions(bool bySubscriber, address account)
        external
        view
        override
        returns (SubView[] memory found)
    {
        bytes32[] memory ids = _idsOf(bySubscriber, account);
        found = new SubView[](ids.length);
        for (uint256 i = 0; i < ids.length; ++i) {
            found[i] =
                SubView(idSubMap[ids[i]], _statusOf(bySubscriber, account, ids[i]), _subscribers[ids[i]].length());
        }
    }

    /// @inheritdoc ISubscriptions
    function getSubscribersById(bytes32 id) external view override returns (SubscriberView[] memory found) {
        uint256 size = _subscribers[id].length();
        found = new SubscriberView[](size - _unsubscribed[id].length());
        for (uint256 i = 0; i < size; ++i) {
            address subscriber = _subscribers[id].at(i);
            if (_unsubscribed[id].contains(subscriber)) continue;
            // Quirk: the index is that of the set, although the answer is shorter than the set.
            found[i] = SubscriberView(subscriber, feeBalance[id][subscriber]);
        }
    }

    /// @inheritdoc ISubscriptions
    function getIdByTime(uint256 frequency, uint16 dueDay) external view override returns (bytes32[] memory) {
        return _due[frequency][dueDay].values();
    }

    /// @inheritdoc ISubscriptions
    function getTotalSubscribers() external view override returns (uint256) {
        return _memberCount;
    }

    /// @inheritdoc ISubscriptions
    function getUnsubscribedLength(bytes32 id) external view override returns (uint256) {
        return _unsubscribed[id].length();
    }

    // ----------------------------------------------------------------------------------------------- anybody

    /// @inheritdoc ISubscriptions
    function createSubscription(
        uint256 amount,
        address token,
        Details calldata details,
        Frequency frequency,
        uint16 dueDay
    ) external override {
        require(token != address(0), "4");
        require(approvedERC20[token].tokenAddress != address(0), "5");
        require(!approvedERC20[token].paused, "20");
        _requireDueDay(frequency, dueDay);
        require(amount >= approvedERC20[token].minimum, "18");

        Member storage creator = _members[msg.sender];
        bytes32 id = keccak256(abi.encodePacked(msg.sender, creator.nonce++, block.timestamp));
        idSubMap[id] = Subscription(id, amount, msg.sender, token, false, frequency, dueDay);
        creator.created.add(id);
        _remember(creator);

        emit DetailsLog(id, msg.sender, uint40(block.timestamp), details.url, details.description);
        _log(idSubMap[id], address(0), amount, SubscriptionEvent.CREATE);
    }

    /// @inheritdoc ISubscriptions
    function subscribe(Subscription calldata subscription) external override {
        bytes32 id = subscription.id;
        Subscription memory known = idSubMap[id];
        require(_exists(id), "3");
        require(!approvedERC20[known.token].paused, "20");
        require(!_isCheckpoint(id), "24");
        require(_canPay(known, msg.sender), "10");
        require(known.provider != msg.sender, "0");
        require(!_isSubscribed(id, msg.sender), "25");
        require(!known.cancelled, "23");

        // Listed accounts keep the set from being empty. Then the id is still on the due list, or it was taken off
        // by a remit and does not come back.
        if (_subscribers[id].length() == 0) _due[uint256(known.frequency)][known.dueDay].add(id);
        _subscribers[id].add(msg.sender);
        _unsubscribed[id].remove(msg.sender);
        Member storage member = _members[msg.sender];
        member.subscribed.add(id);
        member.asSubscriber[id] = Status.ACTIVE;
        _remember(member);

        _firstCharge(known);
    }

    /// @inheritdoc ISubscriptions
    function unsubscribe(Subscription calldata subscription) external override {
        Subscription memory known = idSubMap[subscription.id];
        _requireNotUnsubscribed(subscription.id, msg.sender);
        uint256 balance = _leave(known, msg.sender);
        _log(known, msg.sender, balance, SubscriptionEvent.PROVREFUND);
        _send(known.token, known.provider, balance);
    }

    /// @inheritdoc ISubscriptions
    function editDetails(Details calldata details, bytes32 id) external override {
        if (idSubMap[id].provider != msg.sender) return;
        emit DetailsLog(id, msg.sender, uint40(block.timestamp), details.url, details.description);
    }

    /// @inheritdoc ISubscriptions
    function editProvDetails(ProviderDetails calldata details) external override {
        // From memory, since six texts in calldata would not fit on the stack.
        ProviderDetails memory told = details;
        emit ProvDetailsLog(
            msg.sender,
            uint40(block.timestamp),
            told.description,
            told.company,
            told.url,
            told.domain,
            told.email,
            told.misc
        );
    }

    // ---------------------------------------------------------------------------------------------- provider

    /// @inheritdoc ISubscriptions
    function cancelSubscription(Subscription calldata subscription) external override {
        Subscription storage known = idSubMap[subscription.id];
        require(_exists(subscription.id), "3");
        require(known.provider == msg.sender, "13");
        require(!known.cancelled, "23");
        // Subscribers and their fee balances stay as they are until the janitor comes.
        known.cancelled = true;
        _members[msg.sender].asProvider[subscription.id] = Status.CANCELLED;
        _log(known, address(0), 0, SubscriptionEvent.CANCEL);
    }

    /// @inheritdoc ISubscriptions
    function unsubscribeByProvider(Subscription calldata subscription, address subscriber) external override {
        Subscription memory known = idSubMap[subscription.id];
        _requireNotUnsubscribed(subscription.id, subscriber);
        require(known.provider == msg.sender, "8");
        require(_isSubscribed(subscription.id, subscriber), "9");
        uint256 balance = _leave(known, subscriber);
        _send(known.token, subscriber, balance);
    }

    // --------------------------------------------------------------------------------------------- internals

    function _requireDueDay(Frequency frequency, uint16 dueDay) private pure {
        if (frequency == Frequency.WEEKLY) require(dueDay > 0 && dueDay <= 7, "14");
        else if (frequency == Frequency.MONTHLY) require(dueDay > 0 && dueDay <= 28, "15");
        else if (frequency == Frequency.QUARTERLY) require(dueDay > 0 && dueDay <= 90, "16");
        else require(dueDay > 0 && dueDay <= 365, "17");
    }

    /// @dev Quirk: this is not whether the account is subscribed. An account that never subscribed passes once.
    function _requireNotUnsubscribed(bytes32 id, address account) private view {
        require(_exists(id) && _members[account].asSubscriber[id] != Status.UNSUBSCRIBED, "3");
    }

    function _isSubscribed(bytes32 id, address account) private view returns (bool) {
        return _subscribers[id].contains(account) && !_unsubscribed[id].contains(account);
    }

    function _idsOf(bool bySubscriber, address account) private view returns (bytes32[] memory) {
        return bySubscriber ? _members[account].subscribed.values() : _members[account].created.values();
    }

    function _statusOf(bool bySubscriber, address account, bytes32 id) private view returns (Status) {
        return bySubscriber ? _members[account].asSubscriber[id] : _members[account].asProvider[id];
    }

    function _indexOf(bool bySubscriber, address account) private view returns (SubIndex[] memory index) {
        bytes32[] memory ids = _idsOf(bySubscriber, account);
        index = new SubIndex[](ids.length);
        for (uint256 i = 0; i < ids.length; ++i) {
            Subscription storage known = idSubMap[ids[i]];
            index[i] =
                SubIndex(ids[i], known.dueDay, known.frequency, _statusOf(bySubscriber, account, ids[i]));
        }
    }

    /// @dev Charges the sender for the rest of the running period.
    function _firstCharge(Subscription memory known) private {
        uint256 amount = known.amount;
        uint256 callerShare = _surcharge(amount, callerFee);
        uint256 charge =
            Proration.remainder(Calendar.dateOf(_today()), known.dueDay, amount, known.frequency);
        uint256 fill;
        // On the due day remit charges the period, unless remit has passed this day already.
        if (charge < callerShare || (charge == amount && nextUncheckedDay <= _today())) {
            charge = callerShare;
            fill = callerShare;
        } else {
            fill = Proration.firstFill(charge, amount, known.frequency);
        }
        feeBalance[known.id][msg.sender] += fill;

        _log(known, msg.sender, amount, SubscriptionEvent.SUBSCRIBED);
        _log(known, msg.sender, fill, SubscriptionEvent.FEEFILL);
        _collect(known.token, msg.sender, address(this), fill);
        if (charge > fill) {
            _log(known, msg.sender, charge - fill, SubscriptionEvent.PROVPAID);
            _collect(known.token, msg.sender, known.provider, charge - fill);
        }
    }

    /// @dev Ends an account's subscription, as the account or the provider asked. The caller has to pay `balance` out.
    function _leave(Subscription memory known, address account) private returns (uint256 balance) {
        if (_isCheckpoint(known.id)) {
            // Removing the account now would shift the positions at which remit resumes.
            if (_unsubscribed[known.id].add(account)) emit UList(uint40(block.timestamp), known.id, account);
        } else {
            _subscribers[known.id].remove(account);
        }
        _members[account].asSubscriber[known.id] = Status.UNSUBSCRIBED;
        balance = feeBalance[known.id][account];
        feeBalance[known.id][account] = 0;
        _log(known, account, known.amount, SubscriptionEvent.UNSUBSCRIBED);
    }
}
