import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { expect } from 'chai';
import {
  type Arrival,
  type Door,
  followRequest,
  type RequestEntry,
  type Settled,
} from '../src/follow-request.ts';
import { consoleLog } from '../src/internal.ts';
import { close, listen } from './pipelined-stage.ts';

const BUG = new Error('a bug of the door');
const fail = (): never => {
  throw BUG;
};

type PlainDoor = Door<Arrival, Settled>;

const workingDoor: PlainDoor = {
  now: () => 0,
  work: (arrival) => {
    arrival.response.writeHead(200);
    arrival.isHeadWritten = true;
    arrival.response.end('done');
    return {};
  },
  failed: (error) => ({ error, status: 500 }),
  ended: () => {},
};

describe('a door that fails by itself', () => {
  const entries: RequestEntry[] = [];
  const printed: unknown[][] = [];
  const rejections: unknown[] = [];
  const recordRejection = (reason: unknown): void => void rejections.push(reason);
  const { error: print } = console;
  let server: Server;

  beforeEach(() => {
    for (const list of [entries, printed, rejections]) list.length = 0;
    console.error = (...texts) => printed.push(texts);
    process.on('unhandledRejection', recordRejection);
    process.on('uncaughtException', recordRejection);
  });
  afterEach(async () => {
    console.error = print;
    process.off('unhandledRejection', recordRejection);
    process.off('uncaughtException', recordRejection);
    await close(server);
  });

  /** Sends a request to a server with the door; returns the status of the answer, or how the connection ended. */
  async function send(
    door: Partial<PlainDoor>,
    prepare: (response: ServerResponse) => void = () => {},
  ): Promise<unknown> {
    const closed = Promise.withResolvers<void>();
    server = createServer((request: IncomingMessage, response) => {
      response.once('close', () => closed.resolve());
      prepare(response);
      const ended: PlainDoor['ended'] = (entry) => entries.push(entry);
      const arrival = { request, response, requestId: 'id', route: '/door', role: null };
      void followRequest(arrival, { ...workingDoor, ended, ...door });
    });
    const port = await listen(server);
    const outcome = await new Promise((resolve) => {
      get({ host: '127.0.0.1', port, agent: false }, (answer) => {
        answer.on('error', () => {}).resume();
        resolve(answer.statusCode);
      }).on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    });
    await closed.promise;
    for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
    return outcome;
  }

  const failures: Readonly<Record<string, Partial<PlainDoor>>> = {
    'an answer to a failure that throws': { work: fail, failed: fail },
    'an answer to a late failure that throws': { work: async () => fail(), failed: fail },
    'a sender that rejects': { work: () => ({}), send: async () => fail() },
    'a sender that throws': { work: () => ({}), send: fail },
    'a clock that throws': { now: fail },
  };
  for (const [name, door] of Object.entries(failures)) {
    it(`ends the response and logs the error: ${name}`, async () => {
      expect(await send(door)).to.equal('ECONNRESET');
      expect(entries.map(({ status, error, gone }) => [status, error, gone])).to.deep.equal([
        [500, BUG, true],
      ]);
      expect(rejections).to.deep.equal([]);
    });
  }

  for (const [name, door] of Object.entries<Partial<PlainDoor>>({
    'a log': { ended: fail },
    'an asynchronous log': { ended: async () => fail() },
    'a caller': { caller: fail },
  })) {
    it(`prints an error that ${name} throws after the answer to standard error`, async () => {
      expect(await send(door)).to.equal(200);
      expect(printed.map((texts) => texts.at(-1))).to.deep.equal([BUG]);
      expect(rejections).to.deep.equal([]);
    });
  }

  it('logs the status of the head that it sent even if a framework claims that it sent none', async () => {
    const hideHead = (response: ServerResponse): void => {
      Object.defineProperty(response, 'headersSent', { value: false });
    };
    expect(await send({}, hideHead)).to.equal(200);
    expect(entries.map(({ status }) => status)).to.deep.equal([200]);
  });
});

const entry = { requestId: 'r-1', method: 'GET', route: 'site', role: null, milliseconds: 1 } as const;

describe('a door without a log', () => {
  const { error: print } = console;
  const printed: unknown[][] = [];

  beforeEach(() => {
    printed.length = 0;
    console.error = (...all) => printed.push(all);
  });
  afterEach(() => {
    console.error = print;
  });

  it('writes faults to the console', () => {
    const error = new Error('directory away');
    consoleLog({ ...entry, status: 500, error });
    expect(printed).to.deep.equal([['Pinfold answered GET site with 500 (request r-1):', error]]);
  });

  it('writes nothing else to it', () => {
    consoleLog({ ...entry, status: 200 });
    consoleLog({ ...entry, status: 503 });
    consoleLog({ ...entry, status: 404, error: new Error('expected') });
    expect(printed).to.deep.equal([]);
  });
});
