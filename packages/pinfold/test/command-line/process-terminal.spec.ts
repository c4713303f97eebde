import { PassThrough, Writable } from 'node:stream';
import { expect } from 'chai';
import { formatReason } from '../../src/command-line/failures.ts';
import { createProcessTerminal, type Streams } from '../../src/command-line/terminal.ts';

interface Opened {
  readonly terminal: ReturnType<typeof createProcessTerminal>;
  readonly input: PassThrough;
  readonly output: () => string;
}

function open(
  isTTY: boolean,
  env: Record<string, string> = {},
  stdout: Writable = new PassThrough(),
): Opened {
  const input = Object.assign(new PassThrough(), { isTTY, setRawMode: () => undefined });
  const stderr = Object.assign(new PassThrough(), { isTTY });
  let output = '';
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  const streams = { env, stdin: input, stdout, stderr } as unknown as Streams;
  return { terminal: createProcessTerminal(streams), input, output: () => output };
}

const CLEARED = '\r\u{1B}[K';

/** The visible text of a terminal after all writes. */
function renderOutput(written: string): string {
  return written
    .split(CLEARED)
    .reduce((before, next) => before.slice(0, before.lastIndexOf('\n') + 1) + next);
}

async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe('the terminal of a process', () => {
  it('shows one line of progress, which disappears when another line is printed', async () => {
    const { terminal, output } = open(true);
    for (const activity of ['packing', 'sending, 50 %', 'proving']) terminal.progress?.(activity);
    await nextTurn();
    expect(renderOutput(output())).to.equal('proving');
    terminal.err('published');
    await nextTurn();
    expect(renderOutput(output())).to.equal('published\n');
    terminal.progress?.('again');
    terminal.out('https://share.example');
    await nextTurn();
    expect(renderOutput(output())).to.equal('published\n');
  });

  it('shows no progress in a pipe, or if lines cannot be cleared', () => {
    expect(open(false).terminal.progress).to.equal(undefined);
    expect(open(true, { TERM: 'dumb' }).terminal.progress).to.equal(undefined);
  });

  it('reports in one sentence that standard output cannot be written', async () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    const stdout = new Writable({ write: (_, __, done) => done(full) }).on('error', () => {});
    const { terminal } = open(false, {}, stdout);
    const failure = await Promise.resolve(terminal.write('a line\n')).catch(formatReason);
    expect(failure).to.equal('standard output cannot be written: ENOSPC: no space left on device');
  });

  it('repeats a question until the answer is yes or no, and treats the end of input as no', async () => {
    for (const [typed, expected] of [
      ['y\n', true],
      ['perhaps\nYes\n', true],
      ['No\n', false],
      ['\n\nn\n', false],
    ] as const) {
      const { terminal, input, output } = open(true);
      const answer = terminal.confirm?.('Go on?');
      for (const line of typed.split(/(?<=\n)/)) {
        input.write(line);
        await nextTurn();
      }
      expect(await answer, typed).to.equal(expected);
      await nextTurn();
      expect(output()).to.include('Go on? [y/n] ');
    }
    for (const last of ['', 'perhaps\n\u{4}']) {
      const { terminal, input } = open(true);
      const answer = terminal.confirm?.('Go on?');
      input.end(last);
      expect(await answer, last).to.equal(false);
    }
  });

  it('asks no question if the input is a pipe', () => {
    expect(open(false).terminal.confirm).to.equal(undefined);
  });

  it('reads a secret from the first line of a pipe', async () => {
    const { terminal, input, output } = open(false);
    input.end('one\r\ntwo\n');
    expect(await terminal.secret?.('Secret: ')).to.equal('one');
    expect(output()).to.equal('');
    const empty = open(false);
    empty.input.end();
    expect(await empty.terminal.secret?.('Secret: ').catch((error: Error) => error.name)).to.equal(
      'UsageError',
    );
  });

  it('asks a person twice for a secret, without showing it', async () => {
    const { terminal, input, output } = open(true);
    const secret = terminal.secret?.('Secret: ');
    input.write('one\r');
    await nextTurn();
    input.write('one\r');
    expect(await secret).to.equal('one');
    await nextTurn();
    expect(output()).to.include('Secret: ').and.not.to.include('one');
  });

  for (const [name, typed] of [
    ['two different answers', ['one\r', 'other\r']],
    ['Ctrl-C', ['on\u0003']],
    ['the end of input', ['\u0004']],
  ] as const) {
    it(`reads no secret after ${name}`, async () => {
      const { terminal, input } = open(true);
      const outcome = terminal.secret?.('Secret: ').then(
        () => 'entered',
        (error: Error) => error.name,
      );
      for (const text of typed) {
        input.write(text);
        await nextTurn();
      }
      expect(await outcome).to.equal('CommandFailure');
    });
  }
});
