import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { Pipelines } from '../src/pipelining.ts';
import { Turns } from '../src/turns.ts';
import { begunAt, getMany, openStage, type Take, until } from './pipelined-stage.ts';

describe('the requests that wait on all connections', () => {
  it('are counted, until they begin or their connection closes', async () => {
    const pipelines = new Pipelines(new Turns());
    const stage = await openStage((request, response, work) =>
      pipelines.take(request.socket, response, work),
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
      pipelines.take(socket, first[n] as ServerResponse, () => {});
      pipelines.take(socket, second[n] as ServerResponse, () => begun.push(n));
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
    const take: Take = (request, response, work) => pipelines.take(request.socket, response, work);
    const stage = await openStage(take);
    stage.socket.write(getMany(12));
    await once(stage.socket, 'close');
    await until(() => pipelines.waiting === 0);
    await stage.close();
    const second = await openStage(take);
    second.socket.write(getMany(11));
    await until(() => second.read.length === 11);
    expect(pipelines.waiting).to.equal(10);
    second.socket.destroy();
    await second.close();
  });
});
