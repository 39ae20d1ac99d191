// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title A call of the lens for nodes that refuse code overrides
/// @notice Run as the creation of a contract that is never sent: it creates the lens from its code, calls it, and
///         returns a part of the answer as if that were the contract's code, of which there can be 24,576 bytes.
/// @dev The part begins with the length (32 bytes) and the keccak256 (32) of the whole answer: parts with another
///      hash are another answer's. The length in front also keeps the first byte from being 0xef, which no code
///      may begin with.
contract LensPage {
    /// @dev Gas for returning: 200 for each byte of the part, and memory for the whole answer.
    uint256 private constant RETURN_GAS = 7_000_000;

    /// @dev The lens stops its lists by the gas it has, so all parts of an answer must give it the same: rounded
    ///      down, the few units by which their calldata differs in price do not matter.
    uint256 private constant GAS_STEP = 1 << 18;

    uint256 private constant PART_BYTES = 24_576 - 64;

    /// @param code runtime code of the lens
    /// @param question what to ask it
    /// @param offset where the part begins in the answer
    constructor(bytes memory code, bytes memory question, uint256 offset) {
        address lens = _create(code);
        uint256 left = gasleft();
        uint256 lent = left > 2 * RETURN_GAS ? left - RETURN_GAS : left / 2;
        lent -= lent % GAS_STEP;
        assembly {
            let ok := call(lent, lens, 0, add(question, 0x20), mload(question), 0x00, 0x00)
            let size := returndatasize()
            let part := mload(0x40)
            if iszero(ok) {
                returndatacopy(part, 0x00, size)
                revert(part, size)
            }
            returndatacopy(add(part, 0x40), 0x00, size)
            let hash := keccak256(add(part, 0x40), size)
            if gt(offset, size) { offset := size }
            let rest := sub(size, offset)
            if gt(rest, PART_BYTES) { rest := PART_BYTES }
            // Length and hash are written right before the part, over bytes that were hashed already.
            part := add(part, offset)
            mstore(part, size)
            mstore(add(part, 0x20), hash)
            return(part, add(rest, 0x40))
        }
    }

    /// @dev In front of the code go ten bytes that return all that follows them: PUSH2 size, DUP1, PUSH1 10, PUSH0,
    ///      CODECOPY, PUSH0, RETURN. They take the end of the word that holds the length.
    function _create(bytes memory code) private returns (address lens) {
        assembly {
            let size := mload(code)
            mstore(code, or(0x61000080600a5f395ff3, shl(0x38, size)))
            lens := create(0, add(code, 0x16), add(size, 0x0a))
        }
        require(lens != address(0), "lens");
    }
}
