"""The official Python client lists and calls every tool. argv: the program, and a folder with notes.md."""
import asyncio
import json
import os
import sys

from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

PLAN = {"format_version": "1.2", "terraform_version": "1.7.0", "resource_changes": []}
ARGUMENTS = {
    "recourse_evaluate_terraform": {"plan": PLAN},
    "recourse_evaluate_mcp_call": {"server": "aws", "tool": "s3.delete_bucket", "arguments": {"bucket": "b"}},
    "recourse_evaluate_with_evidence": {"command": "ls", "evidence": []},
    "recourse_supported_resources": {},
    "recourse_verify_attestation": {"attestation": {}},
    "get_policy": {},
    # Kept, destroyed, put back: the tools are listed in this order.
    "recourse_keep": {"command": "rm notes.md", "cwd": sys.argv[2]},
    "recourse_undo": {"cwd": sys.argv[2]},
    "recourse_kept": {"here": sys.argv[2]},
}
NOTES = os.path.join(sys.argv[2], "notes.md")


async def main():
    async with stdio_client(StdioServerParameters(command=sys.argv[1], args=["mcp", "serve"], env=dict(os.environ))) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            assert len(tools) == 13 and ARGUMENTS.keys() <= {tool.name for tool in tools}, [tool.name for tool in tools]
            for tool in tools:
                result = await session.call_tool(tool.name, ARGUMENTS.get(tool.name, {"command": "rm -rf /data"}))
                failed = getattr(result, "is_error", getattr(result, "isError", None))
                assert not failed, (tool.name, result)
                structured = getattr(result, "structured_content", getattr(result, "structuredContent", None))
                assert structured == json.loads(result.content[0].text), tool.name
                if tool.name == "recourse_keep":
                    assert structured["mayRun"], structured
                    os.remove(NOTES)
                if tool.name == "recourse_undo":
                    assert os.path.exists(NOTES), structured
            resources = (await session.list_resources()).resources
            for resource in resources:
                assert (await session.read_resource(resource.uri)).contents[0].text, resource
            prompts = (await session.list_prompts()).prompts
            for prompt in prompts:
                assert (await session.get_prompt(prompt.name, {"plan": "p.json"})).messages, prompt
            assert resources and prompts
    print("called every tool")


asyncio.run(main())
