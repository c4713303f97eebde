import { pipeline, Transform } from 'node:stream';
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Terminal } from '../command-line/terminal.ts';
import type { Publications } from '../publishing/publications.ts';
import { readRelease } from '../release.ts';
import { PUBLICATION_TOOLS } from './publication-tools.ts';
import { PUBLISHING_TOOLS } from './publishing-tools.ts';
import type { Roots } from './roots.ts';
import { registerTool } from './tool.ts';

/** The basics that an agent must know before it calls a tool; part of the handshake. */
const INSTRUCTIONS: string = [
  'Pinfold publishes finished static files (HTML, CSS, scripts, pictures) as a website at an unlisted URL.',
  'A publication has an index.html at its root, or in its only folder. Its content never changes: to show a new version, publish again.',
  'Give the same "name" each time, and the URL of the name always shows the newest version; send people that URL when they will come back. Without a name, each publication has only its own shared_url.',
  'A publication expires after some days (get and the resource pinfold://limits return the limits in force); renew resets the time, and stop ends it for good.',
  'Anyone with the URL can open it, unless you set a password.',
  'Publish the built site, not the project it was built from. Call check first if you are unsure; it changes nothing.',
  'If a call fails with "retryable", repeat it with the same idempotency_key.',
].join('\n');

/** The largest message of a client, which may contain a whole page in `html`. */
const MESSAGE_BYTES = 67_108_864;
const LIMITS = 'pinfold://limits';
const TOOLS = [...PUBLISHING_TOOLS, ...PUBLICATION_TOOLS];

/** Serves the Model Context Protocol on standard input and output until the client closes its end. */
export async function serveMcp(
  publications: Publications,
  roots: Roots,
  { err }: Pick<Terminal, 'err'>,
  { stdin, stdout }: Pick<NodeJS.Process, 'stdin' | 'stdout'> = process,
): Promise<void> {
  const version = await readRelease();
  const running = new Set<Promise<unknown>>();
  const track = (call: Promise<unknown>): void => {
    running.add(call);
    const ended = () => running.delete(call);
    call.then(ended, ended);
  };
  const closed = Promise.withResolvers<void>();
  const lines = joinLines();
  pipeline(stdin, lines, () => undefined);
  const transport = new StdioServerTransport(lines, stdout, { maxBufferSize: MESSAGE_BYTES });
  const makeServer = (): McpServer => {
    const server = new McpServer(
      { name: 'pinfold', title: 'Pinfold', version },
      { instructions: INSTRUCTIONS },
    );
    for (const tool of TOOLS) registerTool(server, tool, { publications, roots, track, err });
    const resourceInfo = {
      title: 'Limits',
      description: 'The limits in force.',
      mimeType: 'application/json',
    };
    server.registerResource('limits', LIMITS, resourceInfo, async () => {
      const limits = publications.api.limits().catch((error: unknown) => {
        throw publications.toFailure(error);
      });
      track(limits);
      return {
        contents: [{ uri: LIMITS, mimeType: resourceInfo.mimeType, text: JSON.stringify(await limits) }],
      };
    });
    return server;
  };
  serveStdio(makeServer, { transport, onerror: (error) => err(`pinfold: ${error.message}`) });
  const handleClose = transport.onclose;
  transport.onclose = () => {
    handleClose?.();
    closed.resolve();
  };
  await closed.promise;
  lines.destroy();
  // Finish running calls, so that a client that lost the answer can retry with the same key.
  await Promise.allSettled(running);
}

/**
 * Passes input on in whole lines. The transport copies and searches an unfinished line again for each chunk, so a
 * message of 12 MB would take seconds.
 */
function joinLines(): Transform {
  let chunks: Buffer[] = [];
  let size = 0;
  const takeChunks = (): Buffer => {
    const whole = Buffer.concat(chunks);
    [chunks, size] = [[], 0];
    return whole;
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const end = chunk.lastIndexOf('\n') + 1;
      if (end > 0) {
        chunks.push(chunk.subarray(0, end));
        this.push(takeChunks());
      }
      chunks.push(chunk.subarray(end));
      size += chunk.length - end;
      // The transport refuses a longer message.
      done(null, size > MESSAGE_BYTES ? takeChunks() : null);
    },
    flush: (done) => done(null, takeChunks()),
  });
}
