"""Runs the linter of ERC-7730 descriptors with the contract's ABI from standard input, in place of a block explorer's."""

import sys
from pathlib import Path

from erc7730.common import client
from erc7730.lint.v2.lint import lint_all_and_print_errors
from erc7730.model.abi import ABI
from pydantic import TypeAdapter

abi = TypeAdapter(list[ABI]).validate_json(sys.stdin.read())
client.get_contract_abis = lambda chain_id, contract_address: abi


def no_explorer(chain_id, contract_address):
    raise NotImplementedError


client.get_contract_explorer_url = no_explorer
sys.exit(0 if lint_all_and_print_errors([Path(sys.argv[1])]) else 1)
