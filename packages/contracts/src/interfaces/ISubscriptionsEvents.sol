// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title What the protocol logs
/// @dev Units are those of `ISubscriptions`. Apart from it, so that who only reads logs need not carry the functions.
interface ISubscriptionsEvents {
    /// @dev The kinds of `SubLog`.
    enum SubscriptionEvent {
        CREATE,
        CANCEL,
        PROVPAID,
        FAILED,
        PROVREFUND,
        SUBPAID,
        SUBSCRIBED,
        UNSUBSCRIBED,
        FEEFILL,
        SUBREFUND
    }

    /// @param subscriber zero for CREATE and CANCEL
    /// @param amount a full period, except: 0 for CANCEL and FAILED; the fill for a FEEFILL of `subscribe`, the
    ///        full period for one of `remit`; what really moved for PROVPAID and PROVREFUND
    event SubLog(
        bytes32 indexed id,
        address indexed provider,
        address indexed subscriber,
        uint40 timestamp,
        uint256 amount,
        address token,
        SubscriptionEvent subScriptEvent
    );

    event DetailsLog(
        bytes32 indexed id,
        address indexed provider,
        uint40 indexed timestamp,
        string url,
        string description
    );

    event ProvDetailsLog(
        address indexed provider,
        uint40 indexed timestamp,
        string description,
        string company,
        string url,
        string domain,
        string email,
        string misc
    );

    /// @notice Remit has finished one day, or stopped within it because it has processed `maxRemits` subscribers.
    event CallerLog(
        uint40 indexed timestamp,
        uint40 indexed checkedDay,
        address indexed caller,
        bool isFinished
    );

    /// @notice The account is on the unsubscribed list: it leaves the subscriber set later, because the
    ///         subscription is the checkpoint of a remit that was broken off.
    event UList(uint40 indexed timestamp, bytes32 indexed id, address indexed subscriber);

    /// @notice Which position remit has just processed.
    event Coordinates(
        bytes32 indexed id,
        uint256 subscriberIndex,
        uint256 subscriptionIndex,
        uint256 frequency,
        uint40 indexed nextUncheckedDay
    );
}
