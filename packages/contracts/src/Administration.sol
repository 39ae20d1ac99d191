// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {Remittance} from "./Remittance.sol";
import {ISubscriptions} from "./interfaces/ISubscriptions.sol";

/// @title What only the janitor and the admin may do
abstract contract Administration is Remittance {
    using EnumerableSet for EnumerableSet.AddressSet;

    // ----------------------------------------------------------------------------------------------- janitor

    /// @inheritdoc ISubscriptions
    /// @dev Quirk: the tuple is decoded first. So an unknown frequency reverts before the role is checked.
    function cleanupCancelledSubscribers(Subscription memory subscription)
        external
        override
        onlyRole(JANITOR_ROLE)
    {
        bytes32 id = subscription.id;
        require(_exists(id), "3");
        require(idSubMap[id].cancelled);
        uint256 size = _subscribers[id].length();
        require(size > 0, "22");

        uint256 systemShares = 0;
        for (uint256 turns = size < cancelLimit ? size : cancelLimit; turns > 0; --turns) {
            address subscriber = _subscribers[id].at(--size);
            _subscribers[id].remove(subscriber);
            // Quirk: a listed account leaves the set but not the list.
            if (_unsubscribed[id].contains(subscriber)) continue;
            systemShares += _refund(subscription, subscriber);
        }
        if (_systemFeeActive) _send(subscription.token, _systemFeeReceiver, systemShares);
    }

    /// @inheritdoc ISubscriptions
    function cleanUnsubscribeList(bytes32 id) external override onlyRole(JANITOR_ROLE) {
        require(_exists(id), "3");
        require(!_isCheckpoint(id));
        uint256 size = _unsubscribed[id].length();
        require(size > 0, "22");
        for (uint256 turns = size < cancelLimit ? size : cancelLimit; turns > 0; --turns) {
            address account = _unsubscribed[id].at(--size);
            _unsubscribed[id].remove(account);
            _subscribers[id].remove(account);
        }
    }

    // ------------------------------------------------------------------------------------------------- admin

    /// @inheritdoc ISubscriptions
    function changeSysFeeReceiver(address receiver) external override onlyRole(DEFAULT_ADMIN_ROLE) {
        require(receiver != address(0) && receiver != _systemFeeReceiver);
        _systemFeeReceiver = receiver;
    }

    /// @inheritdoc ISubscriptions
    function systemFeeActivate(bool active) external override onlyRole(DEFAULT_ADMIN_ROLE) {
        _systemFeeActive = active;
    }

    /// @inheritdoc ISubscriptions
    function addERC20Contract(address token, uint256 minimum, uint8 decimals)
        external
        override
        onlyRole(DEFAULT_ADMIN_ROLE)
    {
        require(token != address(0));
        require(approvedERC20[token].tokenAddress == address(0), "1");
        approvedERC20[token] = ApprovedToken(token, decimals, false, minimum);
    }

    /// @inheritdoc ISubscriptions
    function pauseToken(address token, bool pause) external override onlyRole(DEFAULT_ADMIN_ROLE) {
        ApprovedToken storage approved = approvedERC20[token];
        require(approved.tokenAddress != address(0));
        require(pause || approved.paused);
        approved.paused = pause;
    }

    /// @inheritdoc ISubscriptions
    function changeCallerFee(uint256 fee) external override onlyRole(DEFAULT_ADMIN_ROLE) {
        _setCallerFee(fee);
    }

    /// @inheritdoc ISubscriptions
    function changeSystemFee(uint256 fee) external override onlyRole(DEFAULT_ADMIN_ROLE) {
        _setSystemFee(fee);
    }

    /// @inheritdoc ISubscriptions
    function changeMaxRemits(uint256 limit) external override onlyRole(DEFAULT_ADMIN_ROLE) {
        maxRemits = limit;
    }

    /// @inheritdoc ISubscriptions
    function setCancelLimit(uint256 limit) external override onlyRole(DEFAULT_ADMIN_ROLE) {
        cancelLimit = limit;
    }

    /// @inheritdoc ISubscriptions
    function setNextUncheckedDay(uint40 day) external override onlyRole(DEFAULT_ADMIN_ROLE) {
        nextUncheckedDay = day;
    }

    /// @inheritdoc ISubscriptions
    function setPageStart(PageStart calldata start) external override onlyRole(DEFAULT_ADMIN_ROLE) {
        _checkpoint = start;
    }

    // --------------------------------------------------------------------------------------------- internals

    function _setCallerFee(uint256 fee) internal {
        require(fee >= WHOLE && fee <= 10833);
        callerFee = fee;
    }

    function _setSystemFee(uint256 fee) internal {
        require(fee >= WHOLE && fee <= 19999);
        systemFee = fee;
    }

    /// @dev Pays a subscriber's fee balance back after a cancellation. The caller chooses provider, amount and token.
    /// @return systemShare what is left for the system
    function _refund(Subscription memory told, address subscriber) private returns (uint256 systemShare) {
        uint256 balance = feeBalance[told.id][subscriber];
        feeBalance[told.id][subscriber] = 0;
        _members[subscriber].asSubscriber[told.id] = Status.CANCELLED;
        if (_systemFeeActive) systemShare = _surcharge(balance, systemFee);
        _log(told, subscriber, told.amount, SubscriptionEvent.UNSUBSCRIBED);
        _log(told, subscriber, told.amount, SubscriptionEvent.SUBREFUND);
        _send(told.token, subscriber, balance - systemShare);
    }
}
