// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TestToken} from "./TestToken.sol";

/// @title Refuses to move the money of blocked payers, by a revert or by answering false, and blacklists accounts
/// @dev The balance and allowance of a blocked account still read as sufficient, so nothing warns of it. A
///      blacklisted one can neither pay, receive nor approve, as with USDC.
contract BlockingToken is TestToken {
    enum Refusal {
        NONE,
        REVERT,
        ANSWER_FALSE
    }

    mapping(address payer => Refusal) public refusalOf;
    mapping(address account => bool) public isBlacklisted;

    constructor(uint8 decimals_) TestToken("Blocking", "BLOCK", decimals_) {}

    function setRefusal(address payer, Refusal refusal) external {
        refusalOf[payer] = refusal;
    }

    function setBlacklisted(address account, bool blacklisted) external {
        isBlacklisted[account] = blacklisted;
    }

    function approve(address spender, uint256 value) public override returns (bool) {
        _requireListedNowhere(msg.sender);
        return super.approve(spender, value);
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        _requireListedNowhere(msg.sender);
        _requireListedNowhere(to);
        return !_isRefused(msg.sender) && super.transfer(to, value);
    }

    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        _requireListedNowhere(from);
        _requireListedNowhere(to);
        return !_isRefused(from) && super.transferFrom(from, to, value);
    }

    function _requireListedNowhere(address account) private view {
        require(!isBlacklisted[account], "account is blacklisted");
    }

    function _isRefused(address payer) private view returns (bool) {
        Refusal refusal = refusalOf[payer];
        require(refusal != Refusal.REVERT, "payer is blocked");
        return refusal == Refusal.ANSWER_FALSE;
    }
}
