// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ISubscriptions} from "../interfaces/ISubscriptions.sol";
import {Settings, Stamp, ViewFailed} from "./LensTypes.sol";

// Reads of the protocol's contract. Each fails with the name of its view.

/// @dev Kept for encoding and returning an answer, beside ANSWER_ROW_GAS for each of its rows.
uint256 constant ANSWER_GAS = 1_500_000;
uint256 constant ANSWER_ROW_GAS = 1_500;

/// @dev Gas for a cheap check whether a subscription has subscribers. It suffices for some hundreds of them.
uint256 constant PROBE_GAS = 3_000_000;

bytes4 constant PANIC = 0x4e487b71;
uint256 constant PANIC_UNDERFLOW = 0x11;
uint256 constant PANIC_INDEX = 0x32;

function stamp() view returns (Stamp memory) {
    return Stamp(block.number, block.timestamp, block.number == 0 ? bytes32(0) : blockhash(block.number - 1));
}

/// @param kept gas that the view does not get, so that its caller can still answer where it uses up the rest
function tryView(address target, bytes memory call, uint256 kept) view returns (bool ok, bytes memory answer) {
    uint256 left = gasleft();
    return target.staticcall{gas: left > 2 * kept ? left - kept : left / 2}(call);
}

function requireView(string memory name, address target, bytes memory call, uint256 leastBytes)
    view
    returns (bytes memory answer)
{
    bool ok;
    (ok, answer) = tryView(target, call, ANSWER_GAS);
    if (!ok) revert ViewFailed(name, target, cut(answer));
    if (answer.length < leastBytes) revert ViewFailed(name, target, "");
}

/// @dev Returns one word and leaves nothing in memory, because loops read thousands.
function wordView(string memory name, address target, bytes4 selector, uint256 first, uint256 second)
    view
    returns (uint256 word)
{
    bool ok;
    assembly ("memory-safe") {
        let input := mload(0x40)
        mstore(input, selector)
        mstore(add(input, 0x04), first)
        mstore(add(input, 0x24), second)
        ok := staticcall(gas(), target, input, 0x44, 0x00, 0x20)
        ok := and(ok, gt(returndatasize(), 0x1f))
        word := mload(0x00)
    }
    if (!ok) revert ViewFailed(name, target, returned());
}

/// @dev What the last call returned, cut at 256 bytes.
function returned() pure returns (bytes memory reason) {
    assembly ("memory-safe") {
        let size := returndatasize()
        if gt(size, 0x100) { size := 0x100 }
        reason := mload(0x40)
        mstore(reason, size)
        returndatacopy(add(reason, 0x20), 0x00, size)
        mstore(0x40, add(reason, 0x120))
    }
}

function cut(bytes memory reason) pure returns (bytes memory) {
    if (reason.length > 0x100) {
        assembly ("memory-safe") {
            mstore(reason, 0x100)
        }
    }
    return reason;
}

function settingsOf(address protocol) view returns (Settings memory) {
    return Settings({
        callerFee: wordView("callerFee", protocol, ISubscriptions.callerFee.selector, 0, 0),
        systemFee: wordView("systemFee", protocol, ISubscriptions.systemFee.selector, 0, 0),
        maxRemits: wordView("maxRemits", protocol, ISubscriptions.maxRemits.selector, 0, 0),
        cancelLimit: wordView("cancelLimit", protocol, ISubscriptions.cancelLimit.selector, 0, 0),
        nextUncheckedDay: nextUncheckedDayOf(protocol)
    });
}

function nextUncheckedDayOf(address protocol) view returns (uint256) {
    return wordView("nextUncheckedDay", protocol, ISubscriptions.nextUncheckedDay.selector, 0, 0);
}

/// @dev The view is OpenZeppelin's (AccessControlDefaultAdminRules), not the protocol's own. Zero where the admin
///      has renounced.
function adminOf(address protocol) view returns (address) {
    bytes4 selector = bytes4(keccak256("defaultAdmin()"));
    return address(uint160(wordView("defaultAdmin", protocol, selector, 0, 0)));
}

/// @dev Zeros where there is no such subscription.
function subscriptionOf(address protocol, bytes32 id) view returns (ISubscriptions.Subscription memory) {
    bytes memory call = abi.encodeCall(ISubscriptions.idSubMap, (id));
    return abi.decode(requireView("idSubMap", protocol, call, 0xe0), (ISubscriptions.Subscription));
}

function feeBalanceOf(address protocol, bytes32 id, address account) view returns (uint256) {
    return wordView(
        "feeBalance", protocol, ISubscriptions.feeBalance.selector, uint256(id), uint256(uint160(account))
    );
}

function listedOf(address protocol, bytes32 id) view returns (uint256) {
    return wordView(
        "getUnsubscribedLength", protocol, ISubscriptions.getUnsubscribedLength.selector, uint256(id), 0
    );
}

function rowsOf(address protocol, bool bySubscriber, address account)
    view
    returns (ISubscriptions.SubView[] memory)
{
    bytes memory call = abi.encodeCall(ISubscriptions.getAccountSubscriptions, (bySubscriber, account));
    return
        abi.decode(requireView("getAccountSubscriptions", protocol, call, 0x40), (ISubscriptions.SubView[]));
}

function idsOf(address protocol, uint8 frequency, uint16 dueDay) view returns (bytes32[] memory) {
    bytes memory call = abi.encodeCall(ISubscriptions.getIdByTime, (frequency, dueDay));
    return abi.decode(requireView("getIdByTime", protocol, call, 0x40), (bytes32[]));
}

/// @dev The size of a subscriber set, listed accounts included, as the provider's own list states it: that
///      list is right while `getSubscribersById` panics. False where it cannot be read.
function setSizeOf(address protocol, bytes32 id, address provider, uint256 kept)
    view
    returns (bool ok, uint256 size)
{
    bytes memory answer;
    bytes memory call = abi.encodeCall(ISubscriptions.getAccountSubscriptions, (false, provider));
    (ok, answer) = tryView(protocol, call, kept);
    if (!ok || answer.length < 0x40) return (false, 0);
    ISubscriptions.SubView[] memory rows = abi.decode(answer, (ISubscriptions.SubView[]));
    for (uint256 i = 0; i < rows.length; ++i) {
        if (rows[i].subscription.id == id) return (true, rows[i].totalSubscribers);
    }
    return (false, 0);
}

/// @dev The code of a panic; 0 for any other revert.
function panicOf(bytes memory reason) pure returns (uint256 code) {
    if (reason.length != 0x24 || bytes4(reason) != PANIC) return 0;
    assembly ("memory-safe") {
        code := mload(add(reason, 0x24))
    }
}
