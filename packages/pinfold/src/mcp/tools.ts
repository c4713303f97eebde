import type { McpServer } from '@modelcontextprotocol/server';
import { NAME_TOOLS } from './name-tools.ts';
import { PUBLICATION_TOOLS } from './publication-tools.ts';
import { PUBLISHING_TOOLS } from './publishing-tools.ts';
import { registerTool, type ToolContext } from './tool.ts';

const TOOLS = [...PUBLISHING_TOOLS, ...PUBLICATION_TOOLS, ...NAME_TOOLS];

export function registerTools(server: McpServer, context: ToolContext): void {
  for (const tool of TOOLS) registerTool(server, tool, context);
}
