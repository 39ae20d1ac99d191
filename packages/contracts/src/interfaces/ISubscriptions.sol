// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ISubscriptionsEvents} from "./ISubscriptionsEvents.sol";

/// @title Recurring payments: the book of the protocol
/// @notice Providers publish subscriptions, accounts subscribe with an ERC-20 allowance, and anybody may call
///         `remit`, which charges what is due day by day and earns the caller a fee.
/// @dev Units, which hold everywhere below:
///      - an `amount`, a fee balance or a minimum is in protocol units of 18 decimals, whatever the token has;
///        a transfer is that figure brought to the token's decimals, truncated, each transfer on its own;
///      - a fee is written as 10000 plus its hundredths of a percent: 10200 is 2 %;
///      - a day is unix time / 86400 in UTC.
///      Reverts are short numbers as strings, because the deployed protocol speaks so: each function lists its
///      own, in the order in which they are checked. Roles answer with OpenZeppelin's `AccessControl…` errors,
///      tokens with `SafeERC20FailedOperation` or whatever they revert with themselves.
interface ISubscriptions is ISubscriptionsEvents {
    /// @dev Due days: weekly 1–7 (Monday is 1), monthly 1–28, quarterly 1–90 and yearly 1–365. A value above 3
    ///      reverts without data wherever it is decoded.
    enum Frequency {
        WEEKLY,
        MONTHLY,
        QUARTERLY,
        YEARLY
    }

    /// @dev One per account and id, separately for subscribers and providers. An account that never subscribed
    ///      also reads as ACTIVE.
    enum Status {
        ACTIVE,
        CANCELLED,
        UNSUBSCRIBED
    }

    /// @param id keccak256 of creator (20 bytes), the creator's own nonce here (32) and the block's time (32)
    /// @param amount one period's price
    /// @param dueDay matched by equality only: nothing is shifted to a shorter month, quarter or year
    struct Subscription {
        bytes32 id;
        uint256 amount;
        address provider;
        address token;
        bool cancelled;
        Frequency frequency;
        uint16 dueDay;
    }

    /// @param status of the account asked for, in the role asked for
    /// @param totalSubscribers size of the subscriber set, accounts waiting on the unsubscribed list included
    struct SubView {
        Subscription subscription;
        Status status;
        uint256 totalSubscribers;
    }

    /// @param feeBalance what is held for this account to pay remit's callers from
    struct SubscriberView {
        address subscriber;
        uint256 feeBalance;
    }

    struct SubIndex {
        bytes32 id;
        uint16 dueDay;
        Frequency frequency;
        Status status;
    }

    struct Account {
        address accountAddress;
        SubIndex[] subscriptions;
        SubIndex[] provSubs;
    }

    /// @param decimals what the admin entered, not what the token says of itself
    struct ApprovedToken {
        address tokenAddress;
        uint8 decimals;
        bool paused;
        uint256 minimum;
    }

    /// @dev Lives in logs only.
    struct Details {
        string url;
        string description;
    }

    /// @dev Lives in logs only.
    struct ProviderDetails {
        string description;
        string company;
        string url;
        string domain;
        string email;
        string misc;
    }

    /// @notice Where remit continues after a full page.
    /// @dev Positions count from 1 and are walked downwards.
    struct PageStart {
        bytes32 id;
        uint256 subscriberIndex;
        uint256 subscriptionIndex;
        uint256 frequency;
        bool initialized;
    }

    // ------------------------------------------------------------------------------------------------- views

    /// @notice The role of the two cleanups, administered by the default admin.
    function JANITOR_ROLE() external view returns (bytes32);

    /// @notice Remit's caller earns this much of each payment: 10000–10833.
    function callerFee() external view returns (uint256);

    /// @notice The system's share of what the caller earns, while it is switched on: 10000–19999.
    function systemFee() external view returns (uint256);

    /// @notice How many subscribers one remit processes at most, paid or failed.
    function maxRemits() external view returns (uint256);

    /// @notice How many accounts one cleanup takes at most.
    function cancelLimit() external view returns (uint256);

    /// @notice The first day that no remit has finished.
    function nextUncheckedDay() external view returns (uint40);

    /// @notice A token's terms. All zeros where it is not approved.
    function approvedERC20(address token)
        external
        view
        returns (address tokenAddress, uint8 decimals, bool paused, uint256 minimum);

    /// @notice A subscription's record. All zeros where it does not exist.
    function idSubMap(bytes32 subscriptionId)
        external
        view
        returns (
            bytes32 id,
            uint256 amount,
            address provider,
            address token,
            bool cancelled,
            Frequency frequency,
            uint16 dueDay
        );

    /// @notice What is held for an account to pay remit's callers from.
    function feeBalance(bytes32 id, address subscriber) external view returns (uint256);

    /// @notice An account's memberships and creations, in the order of `getAccountSubscriptions`. Any address
    ///         is echoed.
    function getAccount(address account) external view returns (Account memory);

    /// @notice Everything an account ever subscribed to (`bySubscriber`) or created, in the order in which it did.
    ///         Nothing leaves these lists; there is no paging.
    function getAccountSubscriptions(bool bySubscriber, address account)
        external
        view
        returns (SubView[] memory);

    /// @notice The subscribers that are not on the unsubscribed list.
    /// @dev Quirk: while accounts are listed, the answer is shorter than the set but is written by the set's
    ///      positions. Panic 0x32 where a listed account precedes an unlisted one, Panic 0x11 where the list,
    ///      which may hold strangers, is larger than the set.
    function getSubscribersById(bytes32 id) external view returns (SubscriberView[] memory);

    /// @notice The due list of a day. Cancelled subscriptions and ones without subscribers stay until a remit
    ///         meets them.
    function getIdByTime(uint256 frequency, uint16 dueDay) external view returns (bytes32[] memory);

    /// @notice How many accounts ever created or subscribed. Never falls.
    function getTotalSubscribers() external view returns (uint256);

    /// @notice How many accounts wait on a subscription's unsubscribed list.
    function getUnsubscribedLength(bytes32 id) external view returns (uint256);

    // ----------------------------------------------------------------------------------------------- anybody

    /// @notice Publishes a subscription of the sender.
    /// @dev Reverts: "4" token zero, "5" token not approved, "20" token paused, "14" "15" "16" "17" due day
    ///      outside its frequency's range, "18" amount below the token's minimum.
    ///      Logs: DetailsLog, CREATE.
    /// @param amount in protocol units. Digits that the token cannot carry are accepted and charged truncated.
    function createSubscription(
        uint256 amount,
        address token,
        Details calldata details,
        Frequency frequency,
        uint16 dueDay
    ) external;

    /// @notice Subscribes the sender and charges the rest of the running period at once.
    /// @dev Only `subscription.id` is read.
    ///      Reverts: "3" unknown, "20" token paused, "24" remit's checkpoint is at this subscription, "10"
    ///      allowance or balance below one full period (even where less is taken), "0" the provider itself,
    ///      "25" subscribed already, "23" cancelled.
    ///      Logs: SUBSCRIBED, FEEFILL, and PROVPAID where the provider gets a part.
    function subscribe(Subscription calldata subscription) external;

    /// @notice Ends the sender's subscription; what is left of its fee balance goes to the provider.
    /// @dev Only `subscription.id` is read. Reverts: "3" unknown, or unsubscribed already.
    ///      Logs: UList where the subscription is the checkpoint, UNSUBSCRIBED, PROVREFUND (of 0 too).
    ///      Quirk: an account that never subscribed succeeds once, and on the checkpoint it even gets listed.
    function unsubscribe(Subscription calldata subscription) external;

    /// @notice Announces new details. They are only logged.
    /// @dev Quirk: for an id that is unknown or another's it succeeds and does nothing.
    function editDetails(Details calldata details, bytes32 id) external;

    /// @notice Announces the sender's profile. It is only logged.
    function editProvDetails(ProviderDetails calldata details) external;

    /// @notice Charges what is due: at most one day that has anything, at most `maxRemits` subscribers.
    /// @dev Reverts: "19" reentrancy; "6" not due, also if all days up to today are empty; or with the error of a
    ///      token: one transfer that reverts, reverts the whole remit.
    ///      Logs per subscriber, paid: Coordinates, SUBPAID, PROVPAID; fee fill: Coordinates, FEEFILL and, but
    ///      for weekly, PROVPAID; failed: PROVREFUND where the balance allows it, UNSUBSCRIBED, FAILED,
    ///      Coordinates. Per day or page: CallerLog.
    function remit() external;

    // ---------------------------------------------------------------------------------------------- provider

    /// @notice Cancels the sender's subscription for good. Fee balances are returned by the janitor.
    /// @dev Only `subscription.id` is read. Reverts: "3" unknown, "13" not the provider, "23" cancelled already.
    ///      Logs: CANCEL.
    function cancelSubscription(Subscription calldata subscription) external;

    /// @notice Removes a subscriber; its fee balance goes back to it.
    /// @dev Only `subscription.id` is read. Reverts: "3" unknown, or the account is unsubscribed; "8" not the
    ///      provider; "9" not in the set, or listed. Logs: UList where the subscription is the checkpoint,
    ///      UNSUBSCRIBED; no refund log.
    function unsubscribeByProvider(Subscription calldata subscription, address subscriber) external;

    // ----------------------------------------------------------------------------------------------- janitor

    /// @notice Sends the fee balances of a cancelled subscription back, `cancelLimit` accounts at a time.
    /// @dev Reverts: without data where the tuple does not decode, then the role's error, "3" unknown, without
    ///      data where not cancelled, "22" no subscribers. Logs per account: UNSUBSCRIBED, SUBREFUND (of a full
    ///      period, whatever is paid).
    ///      Quirk: provider, amount and token of the logs and of the transfers are the tuple's, unchecked.
    function cleanupCancelledSubscribers(Subscription memory subscription) external;

    /// @notice Takes accounts off the unsubscribed list and out of the set, `cancelLimit` at a time.
    /// @dev Reverts: the role's error, "3" unknown, without data where it is remit's checkpoint, "22" nobody is
    ///      listed. No logs, no money.
    function cleanUnsubscribeList(bytes32 id) external;

    // ------------------------------------------------------------------------------------------------- admin

    /// @notice Sets the receiver of the system's share. There is no getter.
    /// @dev Reverts, after the role: without data for zero or the present receiver.
    function changeSysFeeReceiver(address receiver) external;

    /// @notice Switches the system's share on or off. There is no getter.
    function systemFeeActivate(bool active) external;

    /// @notice Approves a token. Nothing is logged.
    /// @dev Reverts, after the role: without data for zero, "1" approved already.
    /// @param minimum in protocol units
    /// @param decimals taken as given
    function addERC20Contract(address token, uint256 minimum, uint8 decimals) external;

    /// @notice Pauses or resumes a token. While it is paused nobody can create or subscribe, and remit skips it.
    /// @dev Reverts, after the role: without data for an unknown token, or for resuming one that runs.
    function pauseToken(address token, bool pause) external;

    /// @dev Reverts, after the role: without data outside 10000–10833.
    function changeCallerFee(uint256 fee) external;

    /// @dev Reverts, after the role: without data outside 10000–19999.
    function changeSystemFee(uint256 fee) external;

    /// @dev Unchecked. With 0 every page ends at its first position.
    function changeMaxRemits(uint256 limit) external;

    /// @dev Unchecked.
    function setCancelLimit(uint256 limit) external;

    /// @dev Unchecked. The way out when there are too many empty days for remit to walk.
    function setNextUncheckedDay(uint40 day) external;

    /// @dev Unchecked.
    function setPageStart(PageStart calldata start) external;
}
