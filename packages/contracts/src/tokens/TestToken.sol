// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title A well-behaved ERC-20 that anybody may mint
/// @dev For development chains and tests only. Each awkward token beside it changes one behaviour of this one.
contract TestToken is ERC20 {
    uint8 private immutable _decimals;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) ERC20(name_, symbol_) {
        _decimals = decimals_;
    }

    /// @param value in the token's smallest unit
    function mint(address to, uint256 value) external virtual {
        _mint(to, value);
    }

    function decimals() public view virtual override returns (uint8) {
        return _decimals;
    }
}
