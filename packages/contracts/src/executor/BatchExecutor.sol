// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Runs a wallet's batch of calls inside one eth_call, and tells what each call did
/// @notice It is never deployed. Its runtime code is laid over the wallet's address for the length of one
///         eth_call, so the inner calls come from the wallet and each sees what the ones before it left behind.
///         It stands in for eth_simulateV1 on nodes that lack the method.
contract BatchExecutor {
    /// @dev Revert data is copied up to this many bytes: a hostile token could return megabytes of it.
    uint256 private constant MOST_RETURNED = 4096;
    /// @dev Enough of a success to tell an approve that answers false.
    uint256 private constant MOST_RETURNED_BY_SUCCESS = 32;
    /// @dev A balance that takes more gas than this to read is not known.
    uint256 private constant BALANCE_GAS = 300_000;

    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    /// @param gasUsed of the inner call alone, by gasleft: before refunds and without a transaction's own cost
    /// @param returnData what a failed call reverted with; up to 32 bytes of what a call returned that succeeded
    struct Result {
        bool success;
        uint256 gasUsed;
        bytes returnData;
    }

    struct Balance {
        bool known;
        uint256 amount;
    }

    /// @notice Makes the calls in order up to the first that fails, then reads balances.
    /// @return results one for each call made: the last one alone may have failed
    /// @return balances of every account in the first token, then in the second, and so on
    function run(Call[] calldata calls, address[] calldata tokens, address[] calldata accounts)
        external
        returns (Result[] memory results, Balance[] memory balances)
    {
        results = _runAll(calls);
        balances = new Balance[](tokens.length * accounts.length);
        for (uint256 t = 0; t < tokens.length; t++) {
            for (uint256 a = 0; a < accounts.length; a++) {
                balances[t * accounts.length + a] = _balanceOf(tokens[t], accounts[a]);
            }
        }
    }

    function _runAll(Call[] calldata calls) private returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            results[i] = _run(calls[i]);
            if (!results[i].success) {
                // Only a shorter length is written over the longer one: the memory behind it is not read again.
                assembly ("memory-safe") {
                    mstore(results, add(i, 1))
                }
                break;
            }
        }
    }

    function _run(Call calldata call) private returns (Result memory result) {
        address to = call.to;
        uint256 value = call.value;
        bytes memory data = call.data;
        bool success;
        uint256 gasBefore = gasleft();
        assembly ("memory-safe") {
            success := call(gas(), to, value, add(data, 32), mload(data), 0, 0)
        }
        result.gasUsed = gasBefore - gasleft();
        result.success = success;
        result.returnData = _returned(success ? MOST_RETURNED_BY_SUCCESS : MOST_RETURNED);
    }

    function _returned(uint256 most) private pure returns (bytes memory data) {
        assembly ("memory-safe") {
            let length := returndatasize()
            if gt(length, most) { length := most }
            data := mload(0x40)
            mstore(data, length)
            returndatacopy(add(data, 32), 0, length)
            mstore(0x40, and(add(add(data, length), 63), not(31)))
        }
    }

    function _balanceOf(address token, address account) private view returns (Balance memory balance) {
        bytes memory data = abi.encodeWithSignature("balanceOf(address)", account);
        uint256 gasLimit = BALANCE_GAS;
        bool success;
        uint256 amount;
        assembly ("memory-safe") {
            success := staticcall(gasLimit, token, add(data, 32), mload(data), 0, 32)
            success := and(success, gt(returndatasize(), 31))
            amount := mload(0)
        }
        if (success) balance = Balance(true, amount);
    }
}
