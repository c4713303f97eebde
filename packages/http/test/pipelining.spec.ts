import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { Pipelines, runInRequestOrder } from '../src/pipelining.ts';
import { Turns } from '../src/turns.ts';
import { openHttp2 } from './http2-stage.ts';
import {
  begunAt,
  get,
  getMany,
  openStage,
  post,
  type RunInOrder,
  type Stage,
  settle,
  until,
} from './pipelined-stage.ts';

describe('the requests that wait on all connections', () => {
  it('are counted, until they begin or their connection closes', async () => {
    const pipelines = new Pipelines(new Turns());
    const stage = await openStage((request, response, work) =>
      pipelines.runInOrder(request.socket, response, work),
    );
    stage.socket.write(getMany(10));
    await until(() => stage.read.length === 10);
    expect(pipelines.waiting).to.equal(9);
    begunAt(stage.begun, 0).response.end();
    await until(() => stage.begun.length === 2);
    expect(pipelines.waiting).to.equal(8);
    await stage.close();
    await until(() => pipelines.waiting === 0);
  });

  it('begin one per turn of the event loop, even if hundreds of connections become ready at once', async () => {
    const pipelines = new Pipelines(new Turns());
    const begun: number[] = [];
    const waiting = { socket: null, writableEnded: false, writableFinished: false };
    const sockets = Array.from({ length: 20 }, () => new EventEmitter() as Socket);
    const [first, second] = [0, 1].map(() =>
      sockets.map(() => Object.assign(new EventEmitter(), waiting) as unknown as ServerResponse),
    ) as [ServerResponse[], ServerResponse[]];
    for (const [n, socket] of sockets.entries()) {
      pipelines.runInOrder(socket, first[n] as ServerResponse, () => {});
      pipelines.runInOrder(socket, second[n] as ServerResponse, () => begun.push(n));
    }
    for (const response of first) response.emit('close');
    const seen: number[] = [];
    while (begun.length < 20) {
      await nextTurn();
      seen.push(begun.length);
    }
    expect(begun).to.deep.equal(sockets.map((_, n) => n));
    expect(Math.max(...seen.map((count, n) => count - (seen[n - 1] ?? 0)))).to.equal(1);
  });

  it('are bounded: only the connection of a further one is closed', async () => {
    const pipelines = new Pipelines(new Turns(), 10);
    const run: RunInOrder = (request, response, work) => pipelines.runInOrder(request.socket, response, work);
    const stage = await openStage(run);
    stage.socket.write(getMany(12));
    await once(stage.socket, 'close');
    await until(() => pipelines.waiting === 0);
    await stage.close();
    const second = await openStage(run);
    second.socket.write(getMany(11));
    await until(() => second.read.length === 11);
    expect(pipelines.waiting).to.equal(10);
    second.socket.destroy();
    await second.close();
  });
});

describe('the requests of one connection', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage();
  });
  afterEach(async () => {
    stage.socket.destroy();
    await stage.close();
  });

  it('are handled one at a time, and answered in order', async () => {
    const { begun, socket, received } = stage;
    socket.write(getMany(5));
    for (let index = 0; index < 5; index += 1) {
      await until(() => begun.length > index);
      await settle();
      expect(begun).to.have.length(index + 1);
      begunAt(begun, index).response.end(`answer ${index}.`);
    }
    await until(() => received().includes('answer 4.'));
    expect(
      received()
        .match(/answer \d/g)
        ?.join(),
    ).to.equal('answer 0,answer 1,answer 2,answer 3,answer 4');
  });

  it('leave others a turn between two of them, even if each is answered at once', async () => {
    await stage.close();
    let turn = 0;
    let isDone = false;
    const turns: number[] = [];
    const count = (): void => {
      turn += 1;
      if (!isDone) globalThis.setImmediate(count);
    };
    stage = await openStage((request, response, work) =>
      runInRequestOrder(request, response, () => {
        turns.push(turn);
        work();
        response.end();
      }),
    );
    count();
    stage.socket.write(getMany(100));
    await until(() => turns.length === 100);
    isDone = true;
    const [, ...waited] = turns;
    expect(new Set(waited).size).to.equal(waited.length);
  });

  it('are each handled in their own async context', async () => {
    await stage.close();
    const app = new AsyncLocalStorage<string>();
    const bound: (string | undefined)[] = [];
    stage = await openStage((request, response, work) =>
      app.run(request.url ?? '', () =>
        runInRequestOrder(request, response, () => {
          bound.push(app.getStore());
          work();
          response.end();
        }),
      ),
    );
    stage.socket.write(getMany(3));
    await until(() => bound.length === 3);
    expect(bound).to.deep.equal(['/0', '/1', '/2']);
  });

  it('are handled once by any number of doors', async () => {
    await stage.close();
    stage = await openStage((request, response, work) =>
      runInRequestOrder(request, response, () => runInRequestOrder(request, response, work)),
    );
    const { begun, socket, received } = stage;
    socket.write(getMany(2));
    await until(() => begun.length > 0);
    begunAt(begun, 0).response.end();
    await until(() => begun.length > 1);
    begunAt(begun, 1).response.end('the last');
    await until(() => received().includes('the last'));
    expect(begun).to.have.length(2);
  });

  it('begin at once if the one before is answered', async () => {
    const { begun, socket, received } = stage;
    socket.write(get('first'));
    await until(() => begun.length === 1);
    begunAt(begun, 0).response.end('one');
    await until(() => received().includes('one'));
    socket.write(get('second'));
    await until(() => begun.length === 2);
    begunAt(begun, 1).response.end('two');
    await until(() => received().includes('two'));
  });

  it('may have bodies, which are read in their turn, and requests after them', async () => {
    const { begun, socket, received } = stage;
    const body = 'y'.repeat(300_000);
    socket.write(get('first') + post('upload', body) + get('last'));
    await until(() => begun.length === 1);
    await settle();
    begunAt(begun, 0).response.end('one');
    await until(() => begun.length === 2);
    expect((await buffer(begunAt(begun, 1).request)).length).to.equal(body.length);
    begunAt(begun, 1).response.end('two');
    await until(() => begun.length === 3);
    begunAt(begun, 2).response.end('three');
    await until(() => received().includes('three'));
  });

  it('get 100 Continue only after the answers before them', async () => {
    const { begun, socket, received } = stage;
    socket.write(
      `${get('first')}POST /upload HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n`,
    );
    await until(() => begun.length === 1);
    await settle();
    expect(received()).to.equal('');
    begunAt(begun, 0).response.end('one');
    await until(() => received().includes('100 Continue'));
    expect(received().indexOf('one')).to.be.below(received().indexOf('100 Continue'));
    socket.write('body');
    await until(() => begun.length === 2);
    expect(String(await buffer(begunAt(begun, 1).request))).to.equal('body');
    begunAt(begun, 1).response.end('two');
    await until(() => received().includes('two'));
  });

  it('are not handled if their client has left by then', async () => {
    const { read, begun, socket } = stage;
    socket.write(getMany(100));
    await until(() => read.length === 100);
    socket.resetAndDestroy();
    const { response } = begunAt(begun, 0);
    // Unread bytes hide a reset; the first write after it shows it.
    await until(() => {
      if (!response.destroyed) response.write('x');
      return response.destroyed;
    });
    await settle();
    expect(begun).to.have.length(1);
  });
});

describe('the streams of one HTTP/2 connection', () => {
  it('are handled concurrently', async () => {
    const begun: string[] = [];
    const { client, close } = await openHttp2((request, response) =>
      runInRequestOrder(request, response, () => begun.push(request.url ?? '')),
    );
    for (const path of ['/a', '/b', '/c']) client.request({ ':path': path }).on('error', () => {});
    await until(() => begun.length === 3);
    await close();
  });
});
