import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { Roots } from '../../src/mcp/roots.ts';
import { serveMcp } from '../../src/mcp/serve-mcp.ts';
import { withPublications } from '../../src/publishing/publications.ts';
import type { Env } from '../command-run.ts';
import { closedAfterTest } from '../servers/close-after-test.ts';

// biome-ignore lint/suspicious/noExplicitAny: the answers of tools, whose members each test compares
export type Json = Readonly<Record<string, any>>;
export type Mode = 'legacy' | 'auto';

export const PAGE = '<!doctype html><title>x</title><p>Hello';

/** The answer of a tool. */
export interface Answer {
  readonly isError: boolean;
  readonly json: Json;
  readonly text: string;
}

interface Connection {
  readonly mode?: Mode;
  readonly roots: readonly string[];
  readonly folder: string;
  readonly err?: (line: string) => void;
}

/** Connects a client to the command's server in this process, which may publish from some folders. */
export async function connectTo(
  env: Env,
  { mode = 'auto', roots, folder, err = () => undefined }: Connection,
): Promise<Client> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const streams = { stdin, stdout } as unknown as Pick<NodeJS.Process, 'stdin' | 'stdout'>;
  const terminal = { env, err, out: err, write: async () => undefined };
  const ended = withPublications({}, true, terminal, (publications) =>
    serveMcp(publications, new Roots(roots, folder, folder), terminal, streams),
  );
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StdioServerTransport(stdout, stdin));
  closedAfterTest(async () => {
    await client.close();
    stdin.end();
    await ended;
  });
  return client;
}

export async function call(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Answer> {
  const { isError = false, structuredContent, content } = await client.callTool({ name, arguments: args });
  const lines = content.map((part) => (part.type === 'text' ? part.text : ''));
  return { isError, json: structuredContent as Json, text: lines.join('\n') };
}
