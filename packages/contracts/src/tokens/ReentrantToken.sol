// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TestToken} from "./TestToken.sol";

/// @title Calls another contract during every transfer, and reverts if that call reverts
contract ReentrantToken is TestToken {
    address private _target;
    bytes private _data;

    constructor(uint8 decimals_) TestToken("Reentrant", "BACK", decimals_) {}

    /// @param target the zero address switches the call off
    function arm(address target, bytes calldata data) external {
        _target = target;
        _data = data;
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (_target == address(0)) return;
        (bool success, bytes memory answer) = _target.call(_data);
        if (success) return;
        assembly ("memory-safe") {
            revert(add(answer, 0x20), mload(answer))
        }
    }
}
