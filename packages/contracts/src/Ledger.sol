// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {
    AccessControlDefaultAdminRules
} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {Calendar} from "./Calendar.sol";
import {ISubscriptions} from "./interfaces/ISubscriptions.sol";

/// @title The protocol's storage, and the steps that all its parts share
abstract contract Ledger is ISubscriptions, AccessControlDefaultAdminRules {
    using EnumerableSet for EnumerableSet.AddressSet;
    using EnumerableSet for EnumerableSet.Bytes32Set;
    using SafeERC20 for IERC20;

    /// @param known has created or subscribed once
    /// @param nonce goes into the id of the next subscription that the account creates
    struct Member {
        bool known;
        uint256 nonce;
        EnumerableSet.Bytes32Set subscribed;
        EnumerableSet.Bytes32Set created;
        mapping(bytes32 id => Status) asSubscriber;
        mapping(bytes32 id => Status) asProvider;
    }

    /// @dev A fee is written as this number plus its hundredths of a percent.
    uint256 internal constant WHOLE = 10000;

    /// @inheritdoc ISubscriptions
    bytes32 public constant override JANITOR_ROLE = keccak256("JANITOR_ROLE");

    /// @inheritdoc ISubscriptions
    mapping(bytes32 id => Subscription) public override idSubMap;

    /// @inheritdoc ISubscriptions
    mapping(address token => ApprovedToken) public override approvedERC20;

    /// @inheritdoc ISubscriptions
    mapping(bytes32 id => mapping(address subscriber => uint256)) public override feeBalance;

    /// @inheritdoc ISubscriptions
    uint256 public override callerFee;

    /// @inheritdoc ISubscriptions
    uint256 public override systemFee;

    /// @inheritdoc ISubscriptions
    uint256 public override maxRemits;

    /// @inheritdoc ISubscriptions
    uint256 public override cancelLimit;

    /// @inheritdoc ISubscriptions
    uint40 public override nextUncheckedDay;

    bool internal _systemFeeActive;
    address internal _systemFeeReceiver;
    uint256 internal _memberCount;
    PageStart internal _checkpoint;

    mapping(address account => Member) internal _members;
    mapping(bytes32 id => EnumerableSet.AddressSet) internal _subscribers;
    /// @dev Accounts that unsubscribed while their subscription was the checkpoint, until they are taken off.
    mapping(bytes32 id => EnumerableSet.AddressSet) internal _unsubscribed;
    mapping(uint256 frequency => mapping(uint16 dueDay => EnumerableSet.Bytes32Set)) internal _due;

    function _today() internal view returns (uint40) {
        return Calendar.dayNumber(block.timestamp);
    }

    function _exists(bytes32 id) internal view returns (bool) {
        return idSubMap[id].provider != address(0);
    }

    /// @dev Quirk: only the id is compared, not whether the checkpoint is in use. So a checkpoint that the admin
    ///      has set can close a subscription to new subscribers ("24").
    function _isCheckpoint(bytes32 id) internal view returns (bool) {
        return _checkpoint.id == id;
    }

    /// @dev The fee of an amount, without the amount itself.
    function _surcharge(uint256 amount, uint256 fee) internal pure returns (uint256) {
        return (amount * fee) / WHOLE - amount;
    }

    /// @dev Quirk: the division drops digits that the token does not have, in each transfer anew. So the contract
    ///      can hold less of a token than its fee balances add up to.
    function _tokenUnits(address token, uint256 amount) internal view returns (uint256) {
        uint256 decimals = approvedERC20[token].decimals;
        return decimals > 18 ? amount * 10 ** (decimals - 18) : amount / 10 ** (18 - decimals);
    }

    /// @dev Quirk: allowance and balance must hold a full period even where less is taken. The allowance belongs
    ///      to the token: all subscriptions of an account share it.
    function _canPay(Subscription memory subscription, address subscriber) internal view returns (bool) {
        IERC20 token = IERC20(subscription.token);
        uint256 period = _tokenUnits(subscription.token, subscription.amount);
        return token.allowance(subscriber, address(this)) >= period && token.balanceOf(subscriber) >= period;
    }

    function _send(address token, address to, uint256 amount) internal {
        IERC20(token).safeTransfer(to, _tokenUnits(token, amount));
    }

    function _collect(address token, address from, address to, uint256 amount) internal {
        IERC20(token).safeTransferFrom(from, to, _tokenUnits(token, amount));
    }

    function _log(Subscription memory subscription, address subscriber, uint256 amount, SubscriptionEvent what)
        internal
    {
        emit SubLog(
            subscription.id,
            subscription.provider,
            subscriber,
            uint40(block.timestamp),
            amount,
            subscription.token,
            what
        );
    }

    function _remember(Member storage member) internal {
        if (member.known) return;
        member.known = true;
        ++_memberCount;
    }
}
