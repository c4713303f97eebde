import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { packFiles } from '@pinfold/client/zip';
import { expect } from 'chai';
import { readFirstLine } from '../../src/command-line/input.ts';
import { spawnCommand } from '../command-run.ts';
import { newFolder } from '../servers/new-folder.ts';
import { type Stub, startStub } from '../servers/stub.ts';

/** Yields bytes one after the other, and records whether it was read to its end. */
async function* yieldBytes(bytes: Uint8Array, seen: { ended?: boolean } = {}): AsyncGenerator<Uint8Array> {
  for (const byte of bytes) {
    await setImmediate();
    yield Uint8Array.of(byte);
  }
  seen.ended = true;
}

function encodeBigEndian(text: string): Uint8Array {
  return Buffer.from(`\uFEFF${text}`, 'utf16le').swap16();
}

describe('the first line of standard input', () => {
  for (const [what, bytes] of [
    ['UTF-8', Buffer.from('pässwört 秘密\nsecond')],
    ['UTF-8 with a byte order mark and CR LF', Buffer.from('\uFEFFpässwört 秘密\r\nsecond\r\n')],
    ['UTF-8 without a line end', Buffer.from('pässwört 秘密')],
    ['UTF-16, little-endian', Buffer.from('\uFEFFpässwört 秘密\r\nsecond\r\n', 'utf16le')],
    ['UTF-16, big-endian, without a line end', encodeBigEndian('pässwört 秘密')],
  ] as const) {
    it(`is read as it was written in ${what}`, async () => {
      expect(await readFirstLine(yieldBytes(bytes))).to.equal('pässwört 秘密');
      expect(
        await readFirstLine(
          (async function* () {
            yield bytes;
          })(),
        ),
      ).to.equal('pässwört 秘密');
    });
  }

  it('is read without waiting for the end of the input', async () => {
    const seen = {};
    expect(await readFirstLine(yieldBytes(Buffer.from('one\ntwo'), seen))).to.equal('one');
    expect(seen).to.deep.equal({});
  });

  for (const [what, bytes] of [
    ['Latin-1', Buffer.from('p\xe4ss\n', 'latin1')],
    ['code page 932', Buffer.of(0x94, 0xe9, 0x96, 0xa7, 0x0a)],
    ['UTF-16 without a byte order mark', Buffer.from('secret\n', 'utf16le')],
    ['UTF-16 with half a character', Buffer.from('\uFEFFa\ud800\n', 'utf16le')],
    ['nothing at all', Buffer.of()],
    ['a line without an end', Buffer.alloc(100_000, 'x')],
  ] as const) {
    it(`is refused in ${what}`, async () => {
      const reading = readFirstLine(
        (async function* () {
          yield* [bytes.subarray(0, 2), bytes.subarray(2)].filter(({ length }) => length > 0);
        })(),
      );
      expect(await reading.catch((error: Error) => error.name)).to.equal('UsageError');
    });
  }
});

describe('a command that reads a named pipe', () => {
  let server: Stub;
  let folder: string;
  let pipe: string;
  let child: ChildProcess | undefined;

  beforeEach(async () => {
    server = await startStub((_, response) => response.writeHead(404).end());
    folder = newFolder();
    pipe = join(folder, 'site.zip');
    execFileSync('mkfifo', [pipe]);
  });

  afterEach(() => {
    child?.kill('SIGKILL');
  });

  for (const args of [['publish'], ['takedowns', 'import'], ['accounts', 'erase', '--list']]) {
    it(`ends at the first signal while the pipe is silent: ${args.join(' ')}`, async () => {
      child = spawnCommand({ PINFOLD_DATA_DIR: folder }, ...args, pipe);
      const closed = once(child, 'close');
      // Opens as soon as the command reads the pipe.
      const writer = await open(pipe, 'w');
      child.kill('SIGINT');
      expect((await closed)[0]).to.equal(130);
      await writer.close();
    });
  }

  it('reads the pipe until its writer closes it', async () => {
    const received: Buffer[] = [];
    server = await startStub((request, response) => {
      request.on('data', (piece: Buffer) => received.push(piece));
      request.on('end', () => response.writeHead(404).end());
    });
    child = spawnCommand({ PINFOLD_URL: server.url, PINFOLD_KEY: 'any' }, 'publish', pipe);
    const closed = once(child, 'close');
    const { bytes } = await packFiles([{ path: 'index.html', bytes: new Uint8Array(200_000) }]);
    const writer = await open(pipe, 'w');
    await writer.writeFile(bytes);
    await writer.close();
    await closed;
    expect(Buffer.concat(received).includes(Buffer.from(bytes))).to.equal(true);
  });
});
