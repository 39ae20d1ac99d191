"""Makes of every tool of an endpoint what the Python SDKs of models make of it, and calls one through each client.

Arguments: the endpoint's URL, an API key, the tool to call. Prints, for each converter, the tools that it took, as JSON.
"""

import asyncio
import json
import logging
import sys

from agents.mcp import MCPServerStreamableHttp, MCPUtil
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport
from fastmcp.utilities.json_schema_type import json_schema_to_type
from google.genai import types
from google.genai._mcp_utils import mcp_to_gemini_tool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_mcp_adapters.client import MultiServerMCPClient

URL, KEY, CALLED = sys.argv[1:]
HEADERS = {"X-API-Key": KEY}

# Union types of answers are noted for each: they can be converted.
logging.disable(logging.INFO)
logging.getLogger("google_genai").setLevel(logging.ERROR)


async def fast_mcp():
    """Types of answers are made of output schemas; the call is read by one of them."""
    async with Client(StreamableHttpTransport(URL, headers=HEADERS)) as client:
        tools = await client.list_tools()
        for tool in tools:
            json_schema_to_type(dict(tool.outputSchema))
        result = await client.call_tool(CALLED, {})
        assert result.data is not None
        return tools


def gemini(tools):
    """Google's own conversion, and that of Vertex, which refuses what it does not know."""
    for tool in tools:
        (declared,) = mcp_to_gemini_tool(tool).function_declarations
        assert set(declared.parameters.properties) == set(tool.inputSchema["properties"])
        for schema in (tool.inputSchema, tool.outputSchema):
            for api in ("GEMINI_API", "VERTEX_AI"):
                types.Schema.from_json_schema(
                    json_schema=types.JSONSchema(**schema),
                    api_option=api,
                    raise_error_on_unsupported_field=True,
                )
    return [tool.name for tool in tools]


async def openai_agents():
    """In OpenAI's strict form all fields are needed, and null stands for those that a model leaves out."""
    params = {"url": URL, "headers": HEADERS}
    async with MCPServerStreamableHttp(params, client_session_timeout_seconds=30) as server:
        tools = await server.list_tools()
        functions = [MCPUtil.to_function_tool(tool, server, True) for tool in tools]
        assert all(function.strict_json_schema for function in functions)
        (called,) = [function for function in functions if function.name == CALLED]
        nothing = {name: None for name in called.params_json_schema["required"]}
        result = await server.call_tool(CALLED, nothing)
        assert not getattr(result, "isError", False), result
        return [function.name for function in functions]


async def langchain():
    connection = {"transport": "streamable_http", "url": URL, "headers": HEADERS}
    tools = await MultiServerMCPClient({"remit": connection}).get_tools()
    names = [convert_to_openai_tool(tool, strict=True)["function"]["name"] for tool in tools]
    (called,) = [tool for tool in tools if tool.name == CALLED]
    assert await called.ainvoke({})
    return names


async def main():
    tools = await fast_mcp()
    print(
        json.dumps(
            {
                "fastmcp": [tool.name for tool in tools],
                "google-genai": gemini(tools),
                "openai-agents": await openai_agents(),
                "langchain-mcp-adapters": await langchain(),
            }
        )
    )


asyncio.run(main())
