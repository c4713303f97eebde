import { pipeline, Transform } from 'node:stream';
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Terminal } from '../command-line/terminal.ts';
import type { Publications } from '../publishing/publications.ts';
import { release } from '../release.ts';
import { INSTRUCTIONS } from './instructions.ts';
import { NAME_TOOLS } from './name-tools.ts';
import { PUBLICATION_TOOLS } from './publication-tools.ts';
import { PUBLISHING_TOOLS } from './publishing-tools.ts';
import type { Roots } from './roots.ts';
import { registerTool } from './tool.ts';

/** The largest message of a client: the page of `html` is in it. */
const MESSAGE_BYTES = 67_108_864;
const LIMITS = 'pinfold://limits';
const TOOLS = [...PUBLISHING_TOOLS, ...PUBLICATION_TOOLS, ...NAME_TOOLS];

/** Serves the Model Context Protocol on standard input and output, until the client closes its end. */
export async function serveMcp(
  publications: Publications,
  roots: Roots,
  { err }: Pick<Terminal, 'err'>,
  { stdin, stdout }: Pick<NodeJS.Process, 'stdin' | 'stdout'> = process,
): Promise<void> {
  const version = await release();
  const running = new Set<Promise<unknown>>();
  const follow = (call: Promise<unknown>): void => {
    running.add(call);
    const ended = () => running.delete(call);
    call.then(ended, ended);
  };
  const closed = Promise.withResolvers<void>();
  const lines = wholeLines();
  pipeline(stdin, lines, () => undefined);
  const transport = new StdioServerTransport(lines, stdout, { maxBufferSize: MESSAGE_BYTES });
  const makeServer = (): McpServer => {
    const server = new McpServer(
      { name: 'pinfold', title: 'Pinfold', version },
      { instructions: INSTRUCTIONS },
    );
    for (const tool of TOOLS) registerTool(server, tool, { publications, roots, follow, err });
    const about = { title: 'Limits', description: 'The limits in force.', mimeType: 'application/json' };
    server.registerResource('limits', LIMITS, about, async () => {
      const limits = publications.api.limits().catch((error: unknown) => {
        throw publications.toFailure(error);
      });
      follow(limits);
      return { contents: [{ uri: LIMITS, mimeType: about.mimeType, text: JSON.stringify(await limits) }] };
    });
    return server;
  };
  serveStdio(makeServer, { transport, onerror: (error) => err(`pinfold: ${error.message}`) });
  const end = transport.onclose;
  transport.onclose = () => {
    end?.();
    closed.resolve();
  };
  await closed.promise;
  lines.destroy();
  // A call that has begun is completed, so that a client can retry with its key after a lost answer.
  await Promise.allSettled(running);
}

/**
 * Passes input on in whole lines. For each piece that it gets, the transport copies and searches all of an unfinished
 * line: a message of 12 MB in pieces of a pipe would take seconds.
 */
function wholeLines(): Transform {
  let pieces: Buffer[] = [];
  let size = 0;
  const take = (): Buffer => {
    const whole = Buffer.concat(pieces);
    [pieces, size] = [[], 0];
    return whole;
  };
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      const end = piece.lastIndexOf('\n') + 1;
      if (end > 0) {
        pieces.push(piece.subarray(0, end));
        this.push(take());
      }
      pieces.push(piece.subarray(end));
      size += piece.length - end;
      // The transport refuses what is longer.
      done(null, size > MESSAGE_BYTES ? take() : null);
    },
    flush: (done) => done(null, take()),
  });
}
