// The official TypeScript client lists and calls every tool; then the Inspector's command line lists them. argv: the program.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { existsSync } from 'node:fs';

const modules = process.env.MCP_NODE_MODULES;
const load = createRequire(modules + '/x.js');
const { Client } = load('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = load('@modelcontextprotocol/sdk/client/stdio.js');

const program = process.argv[2];
const plan = { format_version: '1.2', terraform_version: '1.7.0', resource_changes: [] };
const given = {
  recourse_evaluate_terraform: { plan },
  recourse_evaluate_mcp_call: { server: 'aws', tool: 's3.delete_bucket', arguments: { bucket: 'b' } },
  recourse_evaluate_with_evidence: { command: 'ls', evidence: [] },
  recourse_supported_resources: {},
  recourse_verify_attestation: { attestation: {} },
  get_policy: {},
};
const client = new Client({ name: 'test', version: '1' }, { capabilities: {} });
await client.connect(new StdioClientTransport({ command: program, args: ['mcp', 'serve'], env: process.env }));
const { tools } = await client.listTools();
if (tools.length !== 10) throw new Error(tools.map((tool) => tool.name).join());
for (const tool of tools) {
  const result = await client.callTool({ name: tool.name, arguments: given[tool.name] ?? { command: 'rm -rf /data' } });
  if (result.isError || !result.structuredContent) throw new Error(tool.name + JSON.stringify(result));
}
await client.close();
const inspector = modules + '/@modelcontextprotocol/inspector/clients/launcher/build/index.js';
if (existsSync(inspector) && Number(process.versions.node.split('.')[0]) >= 22) {
  const listed = execFileSync(process.execPath, [inspector, '--cli', program, 'mcp', 'serve', '--method', 'tools/list']);
  if (JSON.parse(listed).tools.length !== 10) throw new Error('the Inspector lists other tools');
} else console.log('SKIPPED: the Inspector needs Node 22');
console.log('called every tool');
process.exit(0);
