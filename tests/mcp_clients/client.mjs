// The official TypeScript client lists and calls every tool; then the Inspector's command line does. argv: the program, and a folder with notes.md.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { existsSync, rmSync } from 'node:fs';

const modules = process.env.MCP_NODE_MODULES;
const load = createRequire(modules + '/x.js');
const { Client } = load('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = load('@modelcontextprotocol/sdk/client/stdio.js');

const [program, folder] = process.argv.slice(2);
const notes = folder + '/notes.md';
const plan = { format_version: '1.2', terraform_version: '1.7.0', resource_changes: [] };
const given = {
  recourse_evaluate_terraform: { plan },
  recourse_evaluate_mcp_call: { server: 'aws', tool: 's3.delete_bucket', arguments: { bucket: 'b' } },
  recourse_evaluate_with_evidence: { command: 'ls', evidence: [] },
  recourse_supported_resources: {},
  recourse_verify_attestation: { attestation: {} },
  get_policy: {},
  // Kept, destroyed, put back: the tools are listed in this order.
  recourse_keep: { command: 'rm notes.md', cwd: folder },
  recourse_undo: { cwd: folder },
  recourse_kept: { here: folder },
};
const of = (name) => given[name] ?? { command: 'rm -rf /data' };
const check = (name, result) => {
  const content = result.structuredContent;
  if (result.isError || !content) throw new Error(name + JSON.stringify(result));
  if (JSON.stringify(JSON.parse(result.content[0].text)) !== JSON.stringify(content)) throw new Error(name + ': text and structure differ');
  if (name === 'recourse_keep') {
    if (!content.mayRun) throw new Error(JSON.stringify(content));
    rmSync(notes);
  }
  if (name === 'recourse_undo' && !existsSync(notes)) throw new Error(JSON.stringify(content));
};
const same = (tools) => {
  if (tools.length !== 13) throw new Error(tools.map((tool) => tool.name).join());
  for (const name of Object.keys(given)) if (!tools.some((tool) => tool.name === name)) throw new Error(name + ' is not listed');
};

const client = new Client({ name: 'test', version: '1' }, { capabilities: {} });
await client.connect(new StdioClientTransport({ command: program, args: ['mcp', 'serve'], env: process.env }));
const { tools } = await client.listTools();
same(tools);
for (const tool of tools) check(tool.name, await client.callTool({ name: tool.name, arguments: of(tool.name) }));
const { resources } = await client.listResources();
for (const { uri } of resources) if (!(await client.readResource({ uri })).contents[0].text) throw new Error(uri);
const { prompts } = await client.listPrompts();
for (const { name } of prompts) if (!(await client.getPrompt({ name, arguments: { plan: 'p.json' } })).messages.length) throw new Error(name);
await client.close();

const inspector = modules + '/@modelcontextprotocol/inspector/clients/launcher/build/index.js';
if (existsSync(inspector) && Number(process.versions.node.split('.')[0]) >= 22) {
  const inspect = (...words) =>
    JSON.parse(execFileSync(process.execPath, [inspector, '--cli', program, 'mcp', 'serve', '--method', ...words]));
  const listed = inspect('tools/list').tools;
  same(listed);
  for (const { name } of listed) {
    const words = Object.entries(of(name)).flatMap(([key, value]) =>
      ['--tool-arg', `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`]);
    check(name, inspect('tools/call', '--tool-name', name, ...words));
  }
  console.log('the Inspector called every tool');
} else console.log('SKIPPED: the Inspector needs Node 22');
console.log('called every tool');
process.exit(0);
