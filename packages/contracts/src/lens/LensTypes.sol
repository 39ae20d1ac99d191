// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ISubscriptions} from "../interfaces/ISubscriptions.sol";

/// @notice The block that an answer was read in. First in every answer, so that a reader can check it before
///         anything else is decoded.
/// @param parentHash of the block before: a block cannot know its own
struct Stamp {
    uint256 number;
    uint256 timestamp;
    bytes32 parentHash;
}

struct Settings {
    uint256 callerFee;
    uint256 systemFee;
    uint256 maxRemits;
    uint256 cancelLimit;
    uint256 nextUncheckedDay;
}

/// @param decimals the protocol's entry
/// @param ownDecimals what the token says
/// @param symbol what `symbol()` returned, undecoded and cut at 256 bytes; empty where it failed. So is `name`.
struct TokenFacts {
    address token;
    uint8 decimals;
    bool paused;
    uint256 minimum;
    uint8 ownDecimals;
    bytes symbol;
    bytes name;
}

/// @notice What an account holds of a token, and how much of it the protocol may take.
struct Holding {
    address token;
    uint256 balance;
    uint256 allowance;
}

/// @notice Which lists of an account to read, from which row on, and whether with its money.
/// @param start counted through both lists, the subscribed ones first
/// @param withMoney of what is subscribed: fee balances, and what the account holds of each token
/// @param from the first row of each list that counts, and `most` how many do. With money all that is subscribed
///        counts, because it is paid out of the same money
struct AccountQuery {
    address account;
    bool subscribed;
    bool created;
    bool withMoney;
    uint256 start;
    uint256 from;
    uint256 most;
}

/// @param feeBalances beside `subscribedTo`, where the query is with money
/// @param tokens every token of these rows, once
/// @param dueOrder on the first page of a query with money, see `dueOrderOf`
/// @param next the row to go on from; 0 where all is read
/// @param subscribedCount how many rows the whole list has; 0 where it was not asked for, as with `createdCount`
struct AccountPage {
    ISubscriptions.SubView[] subscribedTo;
    uint256[] feeBalances;
    ISubscriptions.SubView[] created;
    TokenFacts[] tokens;
    Holding[] holdings;
    bytes32[] dueOrder;
    uint256 next;
    uint256 subscribedCount;
    uint256 createdCount;
}

/// @notice Which subscriptions to read, from which on.
/// @param account whose fee balances and holdings are in the answer; zero for none
struct SubscriptionsQuery {
    address account;
    bytes32[] ids;
    uint256 start;
}

/// @notice Subscriptions that were asked for by their ids.
/// @param feeBalances beside `subscriptions`, where an account was named; else empty, and so are `holdings`
/// @param tokens every token of these rows, once
/// @param holdings beside `tokens`
/// @param next the row to go on from; 0 where all is read
struct SubscriptionsPage {
    ISubscriptions.Subscription[] subscriptions;
    uint256[] feeBalances;
    TokenFacts[] tokens;
    Holding[] holdings;
    uint256 next;
}

/// @notice One due list of the protocol.
struct DueSlot {
    uint8 frequency;
    uint16 dueDay;
}

struct SubscriberRow {
    address subscriber;
    uint256 feeBalance;
    uint256 balance;
    uint256 allowance;
}

/// @notice One subscription on a due list.
/// @param slot position in the slots asked for
/// @param setSize of its subscriber set, listed accounts included
/// @param listed length of its unsubscribed list
/// @param readable false while the protocol's own view panics; then no subscriber is known
struct BacklogEntry {
    uint256 slot;
    ISubscriptions.Subscription subscription;
    uint256 setSize;
    uint256 listed;
    bool readable;
    SubscriberRow[] subscribers;
}

/// @param admin of the protocol; zero where it has none
/// @param total how many entries all slots have
/// @param next the entry to go on from, counted through all slots, and its subscriber; both 0 where all is read
struct BacklogPage {
    Settings settings;
    address admin;
    uint256 nativeBalance;
    BacklogEntry[] entries;
    TokenFacts[] tokens;
    uint256 total;
    uint256 next;
    uint256 nextSubscriber;
}

/// @notice A view of the protocol or of a token that failed: the whole answer fails with it.
/// @param target the contract that was asked
/// @param reason its revert data, cut at 256 bytes; empty also where it ran out of gas or answered too little
error ViewFailed(string name, address target, bytes reason);
