"""Checks payments' proofs, written from docs/proofs.md alone. A proof a line comes in; "ok" or what does not fit goes out.

Headers, tries and receipts are read by py-trie and pyrlp; nothing here is shared with the client.
"""

import json
import sys

import rlp
from eth_hash.auto import keccak
from trie import HexaryTrie

SUB_LOG = keccak(b"SubLog(bytes32,address,address,uint40,uint256,address,uint8)")
COORDINATES = keccak(b"Coordinates(bytes32,uint256,uint256,uint256,uint40)")
TRANSFER = keccak(b"Transfer(address,address,uint256)")
PROVIDER_PAID, FAILED, PROVIDER_REFUNDED, SUBSCRIBER_PAID, SUBSCRIBED = 2, 3, 4, 5, 6
UNSUBSCRIBED, FEE_FILLED, SUBSCRIBER_REFUNDED = 7, 8, 9
CHARGES = ("firstCharge", "period", "feeFill")
RECEIPT_TYPES = (1, 2, 3, 4, 0x7E)


class Refused(Exception):
    pass


def must(holds, otherwise):
    if not holds:
        raise Refused(otherwise)


def to_bytes(text):
    must(isinstance(text, str) and text.startswith("0x"), "no hex")
    return bytes.fromhex(text[2:])


def words_of(data):
    must(len(data) % 32 == 0, "data is no words")
    return [data[at : at + 32] for at in range(0, len(data), 32)]


def steps_in(logs, contract):
    """The contract's own logs, each with the transfers up to the next one."""
    steps = []
    for place, (address, topics, data) in enumerate(logs):
        if address != contract:
            if topics and topics[0] == TRANSFER and len(topics) == 3 and steps:
                moved = (address, topics[1][12:], topics[2][12:], int.from_bytes(data, "big"))
                steps[-1]["moves"].append(moved)
            continue
        step = {"place": place, "moves": [], "event": None, "day": None}
        if topics[0] == SUB_LOG:
            timestamp, amount, token, event = words_of(data)
            step.update(
                event=int.from_bytes(event, "big"),
                id=topics[1],
                provider=topics[2][12:],
                subscriber=topics[3][12:],
                time=int.from_bytes(timestamp, "big"),
                token=token[12:],
            )
        elif topics[0] == COORDINATES:
            step["day"] = int.from_bytes(topics[2], "big")
        steps.append(step)
    return steps


def payment_at(logs, contract, place):
    steps = steps_in(logs, contract)
    at = next((index for index, step in enumerate(steps) if step["place"] == place), None)
    must(at is not None and steps[at]["event"] is not None, "no payment begins there")
    first = steps[at]
    rest = steps[at + 1 :]

    def follows(index, event):
        step = rest[index] if index < len(rest) else None
        return (
            step is not None
            and step["event"] == event
            and (step["id"], step["subscriber"]) == (first["id"], first["subscriber"])
        )

    def moved(step, source, target):
        found = [units for token, *way, units in step["moves"] if (token, *way) == (first["token"], source, target)]
        return found[0] if found else 0

    provider, subscriber = first["provider"], first["subscriber"]
    got = {"toProvider": 0, "toFeeBalance": 0, "toSubscriber": 0}
    day = first["time"] // 86400
    event = first["event"]
    before = steps[at - 1]["day"] if at > 0 else None
    if event == SUBSCRIBED:
        kind = "firstCharge"
        if follows(0, FEE_FILLED):
            got["toFeeBalance"] = moved(rest[0], subscriber, contract)
            if follows(1, PROVIDER_PAID):
                got["toProvider"] = moved(rest[1], subscriber, provider)
    elif event == SUBSCRIBER_PAID:
        kind, day = "period", before if before is not None else day
        if follows(0, PROVIDER_PAID):
            got["toProvider"] = moved(rest[0], subscriber, provider)
    elif event == FEE_FILLED:
        kind, day = "feeFill", before if before is not None else day
        got["toFeeBalance"] = moved(first, subscriber, contract)
        if follows(0, PROVIDER_PAID):
            got["toProvider"] = moved(rest[0], subscriber, provider)
    elif event == PROVIDER_REFUNDED:
        kind = "dropped"
        got["toProvider"] = moved(first, contract, provider)
        after = 0
        after += follows(after, UNSUBSCRIBED)
        after += follows(after, FAILED)
        if after < len(rest) and rest[after]["day"] is not None:
            day = rest[after]["day"]
    elif event == UNSUBSCRIBED and follows(0, PROVIDER_REFUNDED):
        kind = "left"
        got["toProvider"] = moved(rest[0], contract, provider)
    elif event == UNSUBSCRIBED and follows(0, SUBSCRIBER_REFUNDED):
        kind = "cleanedUp"
        got["toSubscriber"] = moved(rest[0], contract, subscriber)
    elif event == UNSUBSCRIBED and follows(0, FAILED):
        kind = "dropped"
        if len(rest) > 1 and rest[1]["day"] is not None:
            day = rest[1]["day"]
    else:
        must(event == UNSUBSCRIBED, "no payment begins there")
        kind = "removed"
        got["toSubscriber"] = moved(first, contract, subscriber)
    charged = got["toProvider"] + got["toFeeBalance"] if kind in CHARGES else 0
    return {
        "kind": kind,
        "subscriptionId": "0x" + first["id"].hex(),
        "provider": "0x" + provider.hex(),
        "subscriber": "0x" + subscriber.hex(),
        "token": "0x" + first["token"].hex(),
        "dayNumber": day,
        "charged": str(charged),
        **{name: str(units) for name, units in got.items()},
    }


def verify(proof, block_hash, contract):
    must(proof["type"] == "remit-payment-1", "another type")
    must(proof["contract"].lower() == contract.lower(), "another contract")
    must(proof["blockHash"].lower() == block_hash, "another block")
    header = to_bytes(proof["header"])
    must("0x" + keccak(header).hex() == block_hash, "the header is not the block's")
    fields = rlp.decode(header, strict=True)
    receipt = proof["receipt"]
    nodes = [to_bytes(node) for node in receipt["nodes"]]
    key = rlp.encode(receipt["transactionIndex"])
    used = HexaryTrie.get_from_proof(fields[5], key, [rlp.decode(node, strict=True) for node in nodes])
    must(used, "there is no such receipt")
    must(all(nodes.count(node) == 1 for node in nodes), "a node comes twice")
    # Every node is on the way: taking any away breaks it.
    for index in range(len(nodes)):
        rest = [rlp.decode(node, strict=True) for place, node in enumerate(nodes) if place != index]
        try:
            HexaryTrie.get_from_proof(fields[5], key, rest)
        except Exception:
            continue
        raise Refused("a node is left over")
    is_typed = used[0] < 0xC0
    must(not is_typed or used[0] in RECEIPT_TYPES, "an unknown type")
    status, _, _, logs = rlp.decode(used[1:] if is_typed else used, strict=True)[:4]
    must(status == b"\x01", "the transaction failed")
    found = payment_at(logs, to_bytes(contract), receipt["log"])
    told = proof["payment"]
    for name, value in found.items():
        said = told[name].lower() if str(value).startswith("0x") else told[name]
        must(said == value, f"another {name}")


def answer(line):
    asked = json.loads(line)
    try:
        verify(asked["proof"], asked["blockHash"], asked["contract"])
        return "ok"
    except Exception as refusal:
        return f"refused: {type(refusal).__name__} {refusal}"


for line in sys.stdin:
    print(answer(line))
